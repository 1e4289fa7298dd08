# Once sys.stdout is a StringIO nothing arrives, except through sys.__stdout__.
import io
import sys

print("visible before")
sys.stdout = io.StringIO()
print("hidden")
sys.__stdout__.write(f"captured {sys.stdout.getvalue()!r}\n")
print("hidden again")
