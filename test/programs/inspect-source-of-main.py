# inspect finds the source of functions, classes and lambdas of the program.
import inspect


def work(value):
    """Doubles."""
    # a comment inside
    return value * 2


class Thing:
    def method(self):
        return 1


pick = lambda row: row[0]
print(inspect.getsource(work), end="")
print(inspect.getsource(Thing), end="")
print(inspect.getsource(pick), end="")
print(inspect.getsourcelines(Thing.method)[1], inspect.getdoc(work), inspect.signature(work))
print(inspect.getsourcefile(work) == __file__, inspect.getmodule(work).__name__)
