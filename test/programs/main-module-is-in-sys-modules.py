# sys.modules["__main__"] is this module and shares its globals.
import sys

import __main__

answer = 42
print(__main__.answer, __main__ is sys.modules["__main__"], vars(__main__) is globals())
__main__.planted = "set through the module"
print(planted, type(__main__).__name__, type(sys.modules).__name__)
print(repr(__main__).startswith("<module '__main__' from "), __main__.__class__ is type(sys))
