# fileinput without arguments reads the empty stdin.
import fileinput
import sys

print(sys.argv[1:], list(fileinput.input()))
