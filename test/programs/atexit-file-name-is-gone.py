# Once the last line has run the module loses __file__ and __cached__; atexit functions find the other names.
import atexit

value = 5


def look():
    print([name for name in ("__file__", "__cached__", "__name__", "__loader__", "__spec__", "value") if name in globals()])


atexit.register(look)
look()
