# The traceback that a hook sees begins at the program, with no frame of a runner before it.
import sys


def hook(kind, value, trace):
    names = []
    while trace:
        names.append((trace.tb_frame.f_code.co_name, trace.tb_frame.f_globals["__name__"]))
        trace = trace.tb_next
    print(names)


sys.excepthook = hook
[][0]
