# exit() closes sys.stdin before it raises.
import sys

try:
    quit("bye")
except SystemExit as stop:
    print(stop.code, sys.stdin.closed)
