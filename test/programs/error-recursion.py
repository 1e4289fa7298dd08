# Endless recursion is a RecursionError whose traceback is shortened.
import sys

depth = 0


def dive():
    global depth
    depth += 1
    dive()


try:
    dive()
except RecursionError as error:
    print(error, depth > sys.getrecursionlimit() - 50)
dive()
