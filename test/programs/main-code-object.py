# The module's code object: name, first line, flags.
import sys

code = sys._getframe().f_code
print(code.co_name, code.co_argcount, code.co_freevars, code.co_cellvars)
print(code.co_flags & 0x20, "CO_NESTED" if code.co_flags & 0x10 else "not nested")
print(sys.getrecursionlimit())
