# StopIteration inside a generator becomes a RuntimeError with the first as its cause.
def numbers():
    yield 1
    next(iter([]))


print(list(zip("ab", numbers())))
