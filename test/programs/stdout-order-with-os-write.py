# print, sys.stdout.buffer and os.write(1) arrive in the order of the calls, since output is unbuffered.
import os
import sys

print("1 print")
os.write(1, b"2 os.write\n")
sys.stdout.write("3 write, no newline")
os.write(1, b" <- 4 os.write\n")
sys.stdout.buffer.write(b"5 buffer\n")
print("6 print")
