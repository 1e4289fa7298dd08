# The traceback of the main thread comes first, then the other threads run to their end; the code is 1.
import sys
import threading


def work():
    threading.main_thread().join()
    print("worker done", file=sys.stderr)


threading.Thread(target=work).start()
raise ValueError("main failed first")
