# The fork server starts children that import this file.
import multiprocessing


def work(queue, value):
    queue.put((value * 2, __name__))


if __name__ == "__main__":
    context = multiprocessing.get_context("forkserver")
    queue = context.SimpleQueue()
    process = context.Process(target=work, args=(queue, 21))
    process.start()
    print(queue.get())
    process.join()
    print(process.exitcode)
