# Removing __main__ from sys.modules harms neither the rest of the program nor its end.
import atexit
import sys

atexit.register(print, "atexit")
del sys.modules["__main__"]
print("went on as", __name__)
sys.exit(3)
