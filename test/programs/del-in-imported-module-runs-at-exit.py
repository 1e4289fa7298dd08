# An object in the globals of a local module is freed at exit.
with open("keeper.py", "w") as file:
    file.write(
        "class Kept:\n"
        "    def __del__(self):\n"
        "        print('kept object freed')\n"
        "kept = Kept()\n"
    )
import keeper

print(type(keeper.kept).__name__)
