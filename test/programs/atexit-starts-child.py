# A child process can still be started at exit.
import atexit
import subprocess

atexit.register(lambda: subprocess.run(["echo", "child at exit"]))
print("last line")
