# Carriage returns, backspaces, bells and ANSI sequences pass through untouched.
import sys

for percent in range(0, 101, 20):
    sys.stdout.write(f"\r{percent:3d}%")
print()
print("dos line\r\nmac line\rrest")
print("\x1b[1;31mred\x1b[0m \x1b]0;title\x07 \x1b[2J\b\a\v\f")
print("\x1b[unfinished", end="")
