# Errors of the system name the number, the text and the file.
import os

for attempt in (lambda: open("missing/file.txt"), lambda: os.rmdir("nowhere"), lambda: os.read(999, 1)):
    try:
        attempt()
    except OSError as error:
        print(type(error).__name__, error)
os.mkdir("folder")
open("folder", "w")
