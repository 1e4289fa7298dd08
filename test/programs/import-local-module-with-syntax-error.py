# A syntax error in a local module names that module's line.
with open("badly_written.py", "w") as file:
    file.write("fine = 1\nnot fine at all\n")
try:
    import badly_written
except SyntaxError as error:
    print(type(error).__name__, error.lineno, error.text, error.filename.endswith("badly_written.py"))
