# A file with a warning and a later error.
value = 1
print(value is 1)
continue
