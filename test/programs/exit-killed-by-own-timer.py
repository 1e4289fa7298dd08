# Without a handler SIGALRM of a timer ends the process.
import signal
import time

signal.setitimer(signal.ITIMER_REAL, 0.05)
print("waiting")
time.sleep(5)
print("never")
