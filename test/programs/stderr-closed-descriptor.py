# Writing to a closed descriptor 2 fails quietly for the traceback; the exit code is still 1.
import os

print("closing stderr")
os.close(2)
raise RuntimeError("unseen")
