# contextlib.redirect_stdout and redirect_stderr catch Python's own writes only, nested and restored.
import contextlib
import io
import os
import sys

outer, inner = io.StringIO(), io.StringIO()
with contextlib.redirect_stdout(outer), contextlib.redirect_stderr(inner):
    print("to outer")
    print("to inner", file=sys.stderr)
    with contextlib.redirect_stdout(inner):
        print("also inner")
    os.write(1, b"raw descriptor is not caught\n")
print(repr(outer.getvalue()), repr(inner.getvalue()))
