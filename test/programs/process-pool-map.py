# Pool.map keeps the order and passes an error of a worker on.
import multiprocessing


def square(value):
    return value * value


def invert(value):
    return 1 / value


if __name__ == "__main__":
    with multiprocessing.get_context("fork").Pool(2) as pool:
        print(pool.map(square, range(8)))
        print(pool.starmap(pow, [(2, 3), (3, 2)]), sorted(pool.imap_unordered(square, [3, 1])))
        try:
            pool.map(invert, [1, 0])
        except ZeroDivisionError as error:
            print("worker failed:", error)
