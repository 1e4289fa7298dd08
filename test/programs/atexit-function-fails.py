# An error in one atexit function is printed, the others still run, the exit code stays 0.
import atexit


def fail():
    raise ValueError("in atexit")


atexit.register(print, "runs after the failure")
atexit.register(fail)
atexit.register(print, "runs first")
print("last line")
