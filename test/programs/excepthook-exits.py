# sys.exit inside the hook decides the exit code.
import sys


def hook(kind, value, trace):
    print("leaving with 42")
    sys.exit(42)


sys.excepthook = hook
raise ValueError("original")
