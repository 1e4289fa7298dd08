# atexit functions wait for the non-daemon threads.
import atexit
import threading


def work():
    threading.main_thread().join()
    print("thread finished")


atexit.register(print, "atexit")
threading.Thread(target=work).start()
print("main finished")
