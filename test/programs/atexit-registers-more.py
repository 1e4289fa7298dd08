# A function registered while exiting is run or not, as the version has it.
import atexit


def outer():
    print("outer")
    atexit.register(print, "registered late")


atexit.register(print, "inner")
atexit.register(outer)
