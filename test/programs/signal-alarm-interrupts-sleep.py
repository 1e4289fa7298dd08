# An alarm wakes a sleeping program, and the sleep goes on after a handler that returns.
import signal
import time

rings = []
signal.signal(signal.SIGALRM, lambda number, frame: rings.append(number))
signal.setitimer(signal.ITIMER_REAL, 0.02)
start = time.monotonic()
time.sleep(0.1)
print(len(rings), time.monotonic() - start >= 0.1)
