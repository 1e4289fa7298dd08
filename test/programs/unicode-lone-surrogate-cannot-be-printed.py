# A lone high surrogate has no byte: UnicodeEncodeError, and nothing of that line is written.
print("before")
print("bad \ud800 text")
