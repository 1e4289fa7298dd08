# The error stands in a last line without newline.
print("never"