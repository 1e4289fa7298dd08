# A process pool computes in other processes and carries errors back with a remote traceback.
import concurrent.futures
import multiprocessing
import os


def work(value):
    if value < 0:
        raise ValueError("negative")
    return value + 1, os.getpid() == parent


parent = os.getpid()
if __name__ == "__main__":
    with concurrent.futures.ProcessPoolExecutor(2, multiprocessing.get_context("fork")) as pool:
        print(list(pool.map(work, [1, 2, 3])))
        error = pool.submit(work, -1).exception()
        print(type(error).__name__, error, type(error.__cause__).__name__, "in work" in str(error.__cause__))
