# os._exit does not wait for threads.
import os
import threading
import time

threading.Thread(target=time.sleep, args=(30,)).start()
print("leaving a sleeping thread behind")
os._exit(0)
