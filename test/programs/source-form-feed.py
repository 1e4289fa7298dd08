# A form feed between and before statements is white space.
print("one")

def work():
    return "two"

print(work())
raise ValueError("after a form feed")
