# SystemExit never reaches the hook.
import sys

sys.excepthook = lambda *args: print("never")
sys.exit(2)
