# doctest finds the examples in this file's docstrings.
import doctest


def double(value):
    """
    >>> double(2)
    4
    >>> double("a")
    'aaa'
    """
    return value * 2


print(doctest.testmod())
