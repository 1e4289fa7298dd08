# IndentationError: a block is missing.
for item in range(3):
print(item)
