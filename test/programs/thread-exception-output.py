# An uncaught error in a thread is printed with the thread's name; the exit code stays 0.
import threading


def fail(value):
    return 1 / value


worker = threading.Thread(target=fail, args=(0,))
worker.start()
worker.join()
named = threading.Thread(target=fail, args=("x",), name="reader")
named.start()
named.join()
print("main is fine")
