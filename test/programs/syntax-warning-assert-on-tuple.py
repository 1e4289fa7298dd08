# An assert on a tuple is always true and warns.
assert (1 == 2, "never raised")
print("passed")
