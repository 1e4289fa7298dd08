# SystemExit in a thread ends that thread only, without a word.
import sys
import threading


def leave():
    print("thread leaves")
    sys.exit(5)


worker = threading.Thread(target=leave)
worker.start()
worker.join()
print("main goes on")
