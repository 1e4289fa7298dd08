# A real crash of the process is reported as its signal.
import os
import signal

print("about to crash")
os.kill(os.getpid(), signal.SIGSEGV)
