# Locals of the failed function live until the traceback is gone, after it was printed.
import sys


class Noisy:
    def __del__(self, stream=sys.stderr):
        stream.write("freed\n")


def fail():
    local = Noisy()
    raise ValueError("before the freeing")


fail()
