# Buffered text that cannot be written at exit makes the exit code 120.
import os
import sys

saved = os.dup(1)
sys.stdout = open(saved, "w", closefd=False)
print("stuck in the buffer")
os.close(saved)
