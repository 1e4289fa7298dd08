# A Timer fires after the last line; a cancelled one does not.
import threading

threading.Timer(0.2, print, args=("timer fired",)).start()
cancelled = threading.Timer(30, print, args=("never",))
cancelled.start()
cancelled.cancel()
print("last line")
