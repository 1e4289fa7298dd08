# An unclosed bracket is reported and nothing is run.
print("never")
values = [1, 2, 3
print(values)
