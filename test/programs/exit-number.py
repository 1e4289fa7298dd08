# sys.exit(n) ends with n and prints nothing.
import sys

print("before")
sys.exit(7)
print("never")
