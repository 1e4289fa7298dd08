# The name of the last value exists at a prompt only.
5 * 5
print(_)
