# Closing descriptor 0 or the stream makes input fail in another way.
import sys

sys.stdin.close()
try:
    input("prompt ")
except ValueError as error:
    print("|", error)
sys.stdin = None
input("again ")
