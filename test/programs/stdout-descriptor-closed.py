# With descriptor 1 closed print fails at once with EBADF, since nothing is buffered.
import os

print("first")
os.close(1)
print("second")
