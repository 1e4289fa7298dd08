# sys.unraisablehook of one's own gets the failure.
import sys


class Broken:
    def __del__(self):
        raise ValueError("in del")


sys.unraisablehook = lambda info: print(info.exc_type.__name__, info.exc_value, info.err_msg)
Broken()
