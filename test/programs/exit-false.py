# False is the number 0.
import sys

sys.exit(False)
