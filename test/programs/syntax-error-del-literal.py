# del of something that is no name.
del 1 + 2
