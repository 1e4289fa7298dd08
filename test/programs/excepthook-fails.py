# An error inside the hook is shown together with the original one.
import sys


def hook(kind, value, trace):
    raise RuntimeError("the hook is broken")


sys.excepthook = hook
raise ValueError("original")
