# flush=True changes nothing about what arrives or in which order.
import sys

for step in range(5):
    print(step, end=" ", flush=True)
print(flush=True)
print("to stderr", file=sys.stderr, flush=True)
