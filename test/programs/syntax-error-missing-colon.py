# A missing colon is a syntax error with the line and a mark.
print("never")
if True
    pass
