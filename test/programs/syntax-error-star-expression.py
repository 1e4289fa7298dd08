# A starred expression where none may stand.
value = *[1, 2]
