# sys.exit in an imported module ends the whole program.
with open("leaves.py", "w") as file:
    file.write("import sys\nsys.exit(19)\n")
import leaves

print("never")
