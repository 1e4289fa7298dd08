# A worker that dies breaks the pool with a clear error.
import concurrent.futures
import multiprocessing
import os
from concurrent.futures.process import BrokenProcessPool

if __name__ == "__main__":
    with concurrent.futures.ProcessPoolExecutor(1, multiprocessing.get_context("fork")) as pool:
        try:
            pool.submit(os._exit, 3).result(timeout=10)
        except BrokenProcessPool as error:
            print(type(error).__name__, error)
