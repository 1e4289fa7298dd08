# The dunder names of a program started as a file.
"""The docstring."""
print(__name__, __package__, __spec__, __doc__)
print(type(__loader__).__name__, __loader__.name, type(__builtins__).__name__, __builtins__.__name__)
print(__annotations__ if "__annotations__" in globals() else "no annotations")
