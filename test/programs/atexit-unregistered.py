# atexit.unregister removes every entry of that function.
import atexit


def cleanup(name):
    print("cleanup", name)


atexit.register(cleanup, "one")
atexit.register(print, "kept")
atexit.register(cleanup, "two")
atexit.unregister(cleanup)
