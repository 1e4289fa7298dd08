# A daemon thread is left behind; the program ends without it.
import threading
import time


def forever():
    print("daemon started")
    ready.set()
    time.sleep(30)
    print("never")


ready = threading.Event()
threading.Thread(target=forever, daemon=True).start()
ready.wait()
print("main is done")
