# A closing bracket that does not fit.
print((1, 2])
