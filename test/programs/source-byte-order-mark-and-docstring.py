"""A docstring right after a byte-order mark."""
print(__doc__)
