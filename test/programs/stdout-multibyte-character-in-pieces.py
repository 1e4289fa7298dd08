# A character written byte by byte is whole again at the other end.
import os

for piece in "\u20ac\U0001f600\u00e9\n".encode("utf-8"):
    os.write(1, bytes([piece]))
