# Assigning to a literal.
5 = value
