# SIGTERM has its default action: the process ends at once, no atexit, no traceback.
import atexit
import os
import signal
import time

atexit.register(print, "never")
print("one line")
os.kill(os.getpid(), signal.SIGTERM)
time.sleep(5)
print("never")
