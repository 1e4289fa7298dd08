# Closing sys.stdout and ending without another print is no error.
import sys

print("all that is said")
sys.stdout.close()
sys.stderr.write(f"closed: {sys.stdout.closed}\n")
