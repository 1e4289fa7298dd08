# Overwriting the dunder names is allowed and harms nothing at exit.
__name__ = "renamed"
__file__ = None
__builtins__ = None
print(__name__, __file__)
