# Assigning to a call, deep in an expression.
rows = [1]
for len(rows) in rows:
    pass
