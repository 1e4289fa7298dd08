# runpy.run_path runs another file as if it were the program, and leaves this one's names alone.
import runpy
import sys

with open("other_program.py", "w") as file:
    file.write("import sys\nprint(__name__, len(sys.argv), sys.argv[0])\nresult = [1, 2]\n")
names = runpy.run_path("other_program.py", run_name="__main__")
print(names["result"], __name__, sys.argv[0] == __file__)
