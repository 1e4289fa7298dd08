# Frames carry line numbers, names and source text.
import sys
import traceback


def fail():
    raise LookupError("x")


try:
    fail()
except LookupError:
    for frame in traceback.extract_tb(sys.exc_info()[2]):
        print(frame.lineno, frame.name, frame.line)
