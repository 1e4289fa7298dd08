# A backslash as the last character of the file is an error.
print("never")
\