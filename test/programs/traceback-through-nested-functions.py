# Inner functions are named by their version's rule, closures included.
def outer():
    def inner(value):
        class Local:
            def method(self):
                return [1 / item for item in (value,)]

        return Local().method()

    return inner


outer()(0)
