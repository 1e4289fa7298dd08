# sys.exit runs the atexit functions after its text and keeps its code.
import atexit
import sys

atexit.register(lambda: print("cleanup", file=sys.stderr))
sys.exit("reason first")
