# A hook of one's own gets the exception; nothing else is printed, the exit code is 1.
import sys


def hook(kind, value, trace):
    print("hook:", kind.__name__, value, trace.tb_lineno)
    while trace.tb_next:
        trace = trace.tb_next
    print("deepest line:", trace.tb_lineno, trace.tb_frame.f_code.co_name)


def fail():
    raise ValueError("handled by hook")


sys.excepthook = hook
fail()
