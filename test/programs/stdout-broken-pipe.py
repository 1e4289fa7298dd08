# A print into a pipe that nobody reads is a BrokenPipeError, not a death by SIGPIPE.
import os
import sys

print("before")
reader, writer = os.pipe()
os.close(reader)
os.dup2(writer, 1)
try:
    print("lost")
except BrokenPipeError as error:
    sys.stderr.write(f"{type(error).__name__} {error.errno}\n")
sys.stderr.write("still here\n")
