# sys.stdout.reconfigure changes encoding, errors and newline from there on.
import sys

print("caf\u00e9")
sys.stdout.reconfigure(encoding="latin-1", errors="replace")
print("caf\u00e9 \u20ac")
sys.stdout.reconfigure(encoding="ascii", errors="xmlcharrefreplace", newline="\r\n")
print("caf\u00e9 \u20ac")
sys.stdout.reconfigure(encoding="utf-8", errors="strict", newline="\n")
print("caf\u00e9 \u20ac")
