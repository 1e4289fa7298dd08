# A syntax error in text given to exec shows the text and the place, below the caller's line.
exec("total = 1 +\nprint(total)")
