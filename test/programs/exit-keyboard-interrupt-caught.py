# A caught KeyboardInterrupt leaves a normal exit code.
import os
import signal
import sys
import time

try:
    os.kill(os.getpid(), signal.SIGINT)
    time.sleep(5)
except KeyboardInterrupt:
    print("caught")
    sys.exit(3)
