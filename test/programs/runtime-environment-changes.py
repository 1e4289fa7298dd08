# Changes of os.environ reach getenv and children; a missing variable is a KeyError.
import os
import subprocess

os.environ["COLOUR"] = "gr\u00fcn"
print(os.getenv("COLOUR"), os.environb[b"COLOUR"])
print(subprocess.run(["sh", "-c", "echo $COLOUR"], capture_output=True, text=True).stdout, end="")
del os.environ["COLOUR"]
print(os.getenv("COLOUR"), os.environ.get("COLOUR", "default"), os.environ["PYTHONUTF8"])
os.environ["COLOUR"]
