# Any other object is printed through str(), exit code 1.
import sys


class Reason:
    def __str__(self):
        return "reason as text"

    def __repr__(self):
        return "reason as repr"


sys.exit(Reason())
