# os._exit skips finally blocks, atexit functions and buffered files.
import atexit
import os

atexit.register(print, "never at exit")
buffered = open("lost.txt", "w")
buffered.write("never on disk")
try:
    print("last words")
    os._exit(17)
finally:
    print("never finally")
