# An uncaught error is written to whatever sys.stderr is at the end.
import io
import sys

sys.stderr = io.StringIO()
print("the traceback goes nowhere")
raise RuntimeError("unseen")
