# With stacklevel 1 the function's own line is named, with 2 the caller's; each place warns once.
import warnings


def own():
    warnings.warn("own line", stacklevel=1)


def callers():
    warnings.warn("caller's line", UserWarning, stacklevel=2)


for _ in range(3):
    own()
    callers()
callers()
