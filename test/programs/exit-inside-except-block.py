# sys.exit while an error is handled shows no traceback of that error.
import sys

try:
    {}["missing"]
except KeyError:
    sys.exit("gave up")
