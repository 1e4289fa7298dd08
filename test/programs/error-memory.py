# An allocation beyond all reason is a MemoryError that can be caught; uncaught it has a traceback.
try:
    bytearray(1 << 62)
except MemoryError as error:
    print("caught", error)
text = "x" * (1 << 62)
