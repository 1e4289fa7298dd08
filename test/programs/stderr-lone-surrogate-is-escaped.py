# stderr writes what it cannot encode with backslashes; it never raises.
import sys

print("lone \ud800 and \udcff on stderr", file=sys.stderr)
print("caf\u00e9 \U0001f600", file=sys.stderr)
raise ValueError("message with \ud83d inside")
