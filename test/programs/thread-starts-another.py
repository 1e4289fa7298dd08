# A thread may start further threads and wait for them.
import threading


def outer():
    child = threading.Thread(target=print, args=("inner",))
    child.start()
    child.join()
    print("outer", child.is_alive())


worker = threading.Thread(target=outer)
worker.start()
worker.join()
print("main", threading.active_count())
