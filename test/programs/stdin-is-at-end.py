# sys.stdin is empty: read gives "", lines give nothing, and it is no terminal.
import os
import sys

print(repr(sys.stdin.read()), repr(sys.stdin.readline()), list(sys.stdin), sys.stdin.isatty())
print(os.read(0, 10), sys.stdin.buffer.read(), os.isatty(0))
