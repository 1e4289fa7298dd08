# After sys.stdout.detach() the raw stream still works, the text layer fails: at once and again at exit.
import sys

raw = sys.stdout.detach()
raw.write(b"raw still works\n")
try:
    print("text")
except ValueError as error:
    sys.stderr.write(f"{error}\n")
raw.flush()
