# The error of a future raised again shows the pool's frames between the program's.
import concurrent.futures


def fail():
    raise LookupError("in the pool")


with concurrent.futures.ThreadPoolExecutor(1) as pool:
    future = pool.submit(fail)
future.result()
