# __file__ is an absolute path of an existing file that holds this source; sys.argv[0] is the same.
import os
import sys

print(os.path.isabs(__file__), os.path.isfile(__file__), __file__ == sys.argv[0], len(sys.argv))
with open(__file__, encoding="utf-8") as file:
    lines = file.read().splitlines()
print(lines[0])
print(len(lines), __loader__.path == __file__, __file__.endswith(".py"))
