# A byte-order mark at the start is skipped.
print("works", __doc__)
raise ValueError("line 3")
