# A star import takes what __all__ names, or what has no underscore.
with open("starred.py", "w") as file:
    file.write("__all__ = ['shown']\nshown = 1\nhidden = 2\n")
with open("plain_star.py", "w") as file:
    file.write("visible = 3\n_private = 4\n")
from plain_star import *
from starred import *

print(sorted(name for name in globals() if not name.startswith("__")))
