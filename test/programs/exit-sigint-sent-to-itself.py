# SIGINT becomes KeyboardInterrupt, and uncaught it ends the process by SIGINT after the traceback.
import os
import signal
import time


def wait():
    os.kill(os.getpid(), signal.SIGINT)
    time.sleep(5)


print("interrupting")
wait()
