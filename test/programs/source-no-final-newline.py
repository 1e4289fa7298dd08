# The last line needs no newline.
if True:
    print("last line, no newline")