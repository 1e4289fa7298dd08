# Importing __main__ in a local module gives the running program, with what it has defined so far.
early = "defined before the import"
with open("asks_main.py", "w") as file:
    file.write("import __main__\nprint(__main__.early, hasattr(__main__, 'late'))\n")
import asks_main

late = "defined after"
print(asks_main.__main__.late)
