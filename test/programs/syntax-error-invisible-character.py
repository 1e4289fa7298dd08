# A zero-width space between two tokens.
value = 1​+ 2
