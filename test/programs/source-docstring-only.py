# A file that holds only a docstring runs and prints nothing.
"""Nothing but words."""
