# The hooks of a fresh program are Python's own.
import sys
import threading

print(sys.excepthook is sys.__excepthook__, sys.displayhook is sys.__displayhook__)
print(sys.unraisablehook is sys.__unraisablehook__, sys.breakpointhook is sys.__breakpointhook__)
print(threading.excepthook.__name__, hasattr(sys, "last_value"), hasattr(sys, "last_traceback"))
print(sys.exc_info(), sys.gettrace(), sys.getprofile())
print(hasattr(sys, "ps1"), hasattr(sys, "tracebacklimit"))
