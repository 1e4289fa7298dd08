# Printing to a closed sys.stdout is a ValueError on stderr and exit code 1.
import sys

print("first")
sys.stdout.close()
print("second")
