# A malformed unicode escape in a string.
path = "C:\users\name"
