# With sys.stderr None the traceback is dropped and the exit code is still 1.
import sys

sys.stderr = None
print("quiet failure follows")
raise RuntimeError("unseen")
