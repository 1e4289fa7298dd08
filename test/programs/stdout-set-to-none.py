# With sys.stdout set to None print does nothing at all, and the exit is clean.
import sys

print("seen")
sys.stdout = None
print("not seen")
sys.stderr.write("still running\n")
