# threading.excepthook of one's own gets the failure.
import threading


def hook(info):
    print("thread failed:", info.exc_type.__name__, info.exc_value, info.thread.name)


threading.excepthook = hook
worker = threading.Thread(target=lambda: [][1], name="worker")
worker.start()
worker.join()
