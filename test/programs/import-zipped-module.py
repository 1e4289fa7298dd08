# A module inside a zip file on sys.path is imported, and its resources can be read.
import sys
import zipfile

with zipfile.ZipFile("bundle.zip", "w") as bundle:
    bundle.writestr("zipped_one.py", "value = 'from the zip'\n")
sys.path.insert(0, "bundle.zip")
import zipped_one

print(zipped_one.value, type(zipped_one.__loader__).__name__)
