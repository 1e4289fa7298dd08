# A C stream that nobody closed is flushed when the process ends, after all of Python's output.
import atexit
import ctypes

libc = ctypes.CDLL(None)
libc.fdopen.restype = ctypes.c_void_p
stream = ctypes.c_void_p(libc.fdopen(1, b"w"))
libc.fputs(b"from a stream of C\n", stream)
atexit.register(print, "from atexit")
print("from print")
