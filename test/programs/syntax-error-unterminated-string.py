# A string that is not closed on its line.
print("never)
