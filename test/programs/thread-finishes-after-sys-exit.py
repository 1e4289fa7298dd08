# sys.exit in the main thread waits for the others too, and its code stands.
import sys
import threading


def work():
    threading.main_thread().join()
    print("worker done")


threading.Thread(target=work).start()
sys.exit(8)
