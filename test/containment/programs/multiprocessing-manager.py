import multiprocessing


def add(found, key):
    found[key] = key * 2


if __name__ == "__main__":
    with multiprocessing.Manager() as manager:
        found = manager.dict()
        workers = [multiprocessing.Process(target=add, args=(found, key)) for key in range(3)]
        for worker in workers:
            worker.start()
        for worker in workers:
            worker.join()
        assert dict(found) == {0: 0, 1: 2, 2: 4}
print("works")
