# /dev/stdout and /dev/stderr can be opened by name, as with any pipe.
with open("/dev/stdout", "w") as out:
    out.write("by name\n")
with open("/dev/stderr", "w") as err:
    err.write("error by name\n")
print("by print")
