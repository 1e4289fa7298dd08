# sys.tracebacklimit shortens the printed traceback.
import sys


def one():
    two()


def two():
    raise ValueError("deep")


sys.tracebacklimit = 1
one()
