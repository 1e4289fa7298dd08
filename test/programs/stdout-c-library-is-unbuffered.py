# stdio of C code is unbuffered too, so that puts, printf and print keep their order.
import ctypes

libc = ctypes.CDLL(None)
libc.puts(b"from puts")
libc.printf(b"from printf, no newline; ")
print("from print")
libc.puts(b"from puts again")
