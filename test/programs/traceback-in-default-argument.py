# A default argument fails where the function is defined.
def configure(value=[1, 2, 3][5]):
    return value
