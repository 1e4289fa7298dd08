# importlib.reload runs the changed source.
import importlib
import os

with open("changing.py", "w") as file:
    file.write("value = 'old'\n")
importlib.invalidate_caches()
import changing

print(changing.value)
with open("changing.py", "w") as file:
    file.write("value = 'new and longer'\n")
print(importlib.reload(changing).value)
