# LF, CRLF and CR in one file, each counted once.
print(1)
print(2)print(3)

raise ValueError("line 6")
