# Queue, Pipe, Value and Lock carry data between processes.
import multiprocessing


def work(queue, pipe, total, lock):
    for value in range(3):
        with lock:
            total.value += value
    queue.put({"from": "child"})
    pipe.send([1, "two"])
    pipe.close()


context = multiprocessing.get_context("fork")
queue, total, lock = context.Queue(), context.Value("i", 10), context.Lock()
here, there = context.Pipe()
process = context.Process(target=work, args=(queue, there, total, lock))
process.start()
print(queue.get(timeout=5), here.recv())
process.join()
print(total.value, process.exitcode)
