# os.exec replaces the program; the exit code is that of the new one.
import os
import sys

print("old program")
os.execv(sys.executable, [sys.executable, "-u", "-c", "import sys; print('new program'); sys.exit(31)"])
