# print with a keyword it does not know is a TypeError, nothing is written.
print("never seen", ending="")
