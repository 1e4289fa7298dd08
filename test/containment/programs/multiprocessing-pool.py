import multiprocessing


def square(number):
    return number * number


for method in ("fork", "spawn") if __name__ == "__main__" else ():
    with multiprocessing.get_context(method).Pool(2) as pool:
        assert pool.map(square, range(5)) == [0, 1, 4, 9, 16]
if __name__ != "__main__":
    print = lambda *arguments: None
print("works")
