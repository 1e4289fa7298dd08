# True is the number 1, and unlike text it prints nothing.
import sys

sys.exit(True)
