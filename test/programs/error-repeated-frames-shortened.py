# Equal frames beyond three are counted, not printed.
def count(down):
    if down == 0:
        raise ValueError("bottom")
    count(down - 1)


count(30)
