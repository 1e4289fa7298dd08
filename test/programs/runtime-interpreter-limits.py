# Recursion limit, switch interval, hash and integer properties.
import sys
import threading

print(sys.getrecursionlimit(), sys.getswitchinterval(), threading.stack_size(), sys.maxsize)
print(hash(12345), hash(1.5), hash(-1), hash(2**61), sys.hash_info.algorithm, hash(None) == hash(None))
sys.setrecursionlimit(2000)
print(sys.getrecursionlimit())
