# A thread started at exit runs or is refused, as the version has it.
import atexit
import threading


def late():
    worker = threading.Thread(target=print, args=("thread at exit",))
    worker.start()
    worker.join()


atexit.register(print, "after")
atexit.register(late)
print("last line")
