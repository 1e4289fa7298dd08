# A float is no exit code: it is printed to stderr and the code is 1.
import sys

sys.exit(0.0)
