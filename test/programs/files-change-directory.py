# After os.chdir relative names and imports by "" follow; the program's own file is still found.
import os
import sys

os.mkdir("sub")
os.chdir("sub")
with open("here.txt", "w") as file:
    file.write("in sub")
print(os.listdir("."), os.path.exists("../sub/here.txt"), os.path.exists(__file__))


def fail():
    raise ValueError("the source line is still shown")


fail()
