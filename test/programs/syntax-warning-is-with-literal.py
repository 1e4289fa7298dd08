# "is" with a literal warns once, with the line of the source.
value = 5
if value is 5:
    print("same")
print(value is not "text")
