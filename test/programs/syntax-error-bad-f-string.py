# An f-string with an empty or broken expression.
name = "x"
print(f"{name!z} and {}")
