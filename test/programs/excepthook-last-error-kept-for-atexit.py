# After an uncaught error sys.last_value is set and atexit functions can see it.
import atexit
import sys


def look():
    print(sys.last_type.__name__, sys.last_value, sys.last_traceback.tb_lineno)
    print(hasattr(sys, "last_exc") == (sys.version_info >= (3, 12)))


atexit.register(look)
raise ValueError("remembered")
