# print() alone writes one newline; sep and end are taken as given.
print()
print("a", "b", 3, None, sep="-")
print("x", "y", sep="")
print("no newline", end="")
print(" | same line", end="\n\n")
print(*[], sep="unused", end="[end]\n")
print("last", end="")
