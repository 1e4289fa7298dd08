# With 0, 1 and 2 all pointing to nowhere the exit code still arrives.
import os
import sys

print("before")
nowhere = os.open(os.devnull, os.O_RDWR)
for number in range(3):
    os.dup2(nowhere, number)
print("lost")
sys.exit(14)
