# NUL is an ordinary character of the output.
import sys

print("a\0b\0\0c")
sys.stdout.buffer.write(b"\0\n\0")
print("\0", file=sys.stderr)
