# Shadowing print, open and exit for oneself leaves the end of the program alone.
import sys

sys.stdout.write("shadowing\n")


def print(*values):
    raise SystemError("not this one")


open = exit = len = str = None
sys.stdout.write("end\n")
