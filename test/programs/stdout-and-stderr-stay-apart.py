# The two streams never mix, however the writes alternate.
import os
import sys

for number in range(6):
    print("out", number)
    print("err", number, file=sys.stderr)
os.write(2, b"raw err\n")
os.write(1, b"raw out\n")
print("swapped out", file=sys.__stdout__)
print("swapped err", file=sys.__stderr__)
