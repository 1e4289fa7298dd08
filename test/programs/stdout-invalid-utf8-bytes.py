# Bytes that are no UTF-8 leave the process unchanged.
import os
import sys

os.write(1, b"stray \xff\xfe end\n")
sys.stdout.buffer.write(b"cut \xe2\x82 off\n")
sys.stderr.buffer.write(b"latin caf\xe9\n")
os.write(1, b"overlong \xc0\xaf, surrogate \xed\xa0\x80\n")
os.write(1, b"unfinished at the end \xf0\x9f\x98")
