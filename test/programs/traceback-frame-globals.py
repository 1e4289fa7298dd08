# sys._getframe at the top is the module's frame, and its globals are the module's.
import inspect
import sys

frame = sys._getframe()
print(frame.f_code.co_name, frame.f_lineno, frame.f_globals is globals(), frame.f_locals is globals())
print(frame.f_code.co_filename == __file__, frame.f_code.co_flags & inspect.CO_NEWLOCALS)


def caller():
    return sys._getframe(1).f_lineno


print(caller(), inspect.currentframe().f_lineno)
