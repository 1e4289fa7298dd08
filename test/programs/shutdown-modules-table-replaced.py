# The interpreter's own table of modules is what counts at the exit, whatever a program puts in its place.
import sys
print(1)
sys.modules = {}
