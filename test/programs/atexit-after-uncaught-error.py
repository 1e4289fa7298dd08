# The traceback comes first, then the atexit functions; the code is still 1.
import atexit
import sys

atexit.register(print, "goodbye", file=sys.stderr)
raise ValueError("first the traceback")
