# Calling or indexing a literal warns before anything runs.
print("first output")
try:
    "text"(1)
except TypeError as error:
    print(error)
try:
    [1, 2][1, 2]
except TypeError as error:
    print(error)
