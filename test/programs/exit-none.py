# sys.exit(None) is success.
import sys

print("done")
sys.exit(None)
