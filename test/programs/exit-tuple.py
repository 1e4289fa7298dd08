# sys.exit with a tuple prints the tuple to stderr and ends with 1.
import sys

sys.exit((1, "two"))
