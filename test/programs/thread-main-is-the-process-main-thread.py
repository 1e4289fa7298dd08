# The program runs in the process's own main thread, where signal handlers may be set.
import os
import signal
import threading

print(threading.get_native_id() == os.getpid())
print(signal.signal(signal.SIGUSR1, lambda *_: print("handled")))
signal.raise_signal(signal.SIGUSR1)
