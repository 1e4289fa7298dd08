# A caught SystemExit is an exception like any other; the program goes on.
import sys

try:
    sys.exit("not now")
except SystemExit as stop:
    print("caught", repr(stop.code))
print("still here")
