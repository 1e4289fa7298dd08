# os.abort ends by SIGABRT, without Python's cleanup.
import atexit
import os

atexit.register(print, "never")
print("aborting")
os.abort()
