import multiprocessing


def count(queue, lock, value):
    with lock:
        value.value += 1
    queue.put(value.value)


queue, lock, value = multiprocessing.Queue(), multiprocessing.Lock(), multiprocessing.Value("i", 0)
workers = [multiprocessing.Process(target=count, args=(queue, lock, value)) for _ in range(3)]
for worker in workers:
    worker.start()
assert len([queue.get(timeout=20) for _ in workers]) == 3
for worker in workers:
    worker.join()
assert value.value == 3
print("works")
