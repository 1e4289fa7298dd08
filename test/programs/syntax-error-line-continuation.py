# A character after the backslash that continues a line.
total = 1 + \ 2
