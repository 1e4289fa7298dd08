# If str() of the exit value fails the code is still 1.
import sys


class Broken:
    def __str__(self):
        raise ValueError("no text")


print("before")
sys.exit(Broken())
