# A message of several lines is printed as it is.
raise RuntimeError("first line\n  second line\n\nlast line\n")
