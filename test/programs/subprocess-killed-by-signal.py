# A child that dies by a signal has a negative return code.
import signal
import subprocess
import sys

child = subprocess.Popen([sys.executable, "-c", "import time; print('up', flush=True); time.sleep(30)"], stdout=subprocess.PIPE)
print(child.stdout.readline(), child.poll())
child.send_signal(signal.SIGTERM)
print(child.wait())
