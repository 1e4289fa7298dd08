# exec and eval without a namespace use the program's globals.
exec("made = 5")
print(made, eval("made + 1"), "made" in globals())


def work():
    inside = 1
    exec("inside = 2")
    return inside, eval("inside")


print(work())
