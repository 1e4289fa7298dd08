# A thread pool keeps order in map, carries errors in futures and is awaited at exit.
import concurrent.futures
import threading


def work(value):
    if value == 2:
        raise ValueError("two is refused")
    return value * 10


def patient():
    main_is_done.wait()
    print("finished after main")


with concurrent.futures.ThreadPoolExecutor(3) as pool:
    futures = [pool.submit(work, value) for value in range(4)]
    print([future.exception() or future.result() for future in futures])
    print(list(pool.map(str.upper, "abc")))
main_is_done = threading.Event()
left = concurrent.futures.ThreadPoolExecutor(1)
left.submit(patient)
print("main is done")
main_is_done.set()
