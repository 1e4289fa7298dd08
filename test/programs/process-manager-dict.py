# A manager process holds a dictionary for all.
import multiprocessing


def work(shared, key):
    shared[key] = key * 2


if __name__ == "__main__":
    context = multiprocessing.get_context("fork")
    with context.Manager() as manager:
        shared = manager.dict()
        for key in ("a", "b"):
            process = context.Process(target=work, args=(shared, key))
            process.start()
            process.join()
        print(sorted(shared.items()))
