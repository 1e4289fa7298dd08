# sys.exit inside an atexit function does not stop the others.
import atexit
import sys

atexit.register(print, "second")
atexit.register(sys.exit, 9)
atexit.register(print, "first")
