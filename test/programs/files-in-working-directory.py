# Files and folders made by relative names are in the working directory.
import os
import pathlib
import shutil

pathlib.Path("data/deep").mkdir(parents=True)
pathlib.Path("data/deep/a.txt").write_text("one\ntwo\n")
with open("data/deep/a.txt") as file:
    print(file.readlines(), os.path.samefile(os.getcwd(), "."))
shutil.copy("data/deep/a.txt", "data/b.txt")
os.rename("data/b.txt", "data/c.txt")
print(sorted(os.path.relpath(os.path.join(root, name)) for root, _, names in os.walk("data") for name in names))
shutil.rmtree("data")
print(os.path.exists("data"))
