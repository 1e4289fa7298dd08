# The file ends inside a call over several lines.
print(
    "a",
    "b"
