# An unknown escape in a string warns when compiling, as loudly as the version does.
print("before")
pattern = "\d+ \w"
print(pattern)
