# Without sys.excepthook Python says so and prints the traceback itself.
import sys

del sys.excepthook
raise ValueError("original")
