# A positional argument after a keyword one.
print(sep=",", "a")
