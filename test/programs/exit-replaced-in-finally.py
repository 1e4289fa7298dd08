# An exit raised in a finally block replaces the error on its way.
import sys

try:
    raise ValueError("lost")
finally:
    sys.exit(12)
