# After sys.exit the names are as the version leaves them.
import atexit
import sys

atexit.register(lambda: print("__file__" in globals(), "__cached__" in globals()))
sys.exit(3)
