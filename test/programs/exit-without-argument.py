# sys.exit() is success, and what follows is not run.
import sys

print("done")
sys.exit()
print("never")
