# A program that kills itself with SIGKILL is reported as that signal.
import os
import signal

print("one line")
os.kill(os.getpid(), signal.SIGKILL)
print("never")
