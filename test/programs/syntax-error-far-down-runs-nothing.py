# A mistake on the last line keeps the first line from running.
import sys

print("never", file=sys.stderr)


def fine():
    return 1


fine(
