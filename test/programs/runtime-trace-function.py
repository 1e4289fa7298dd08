# A trace function sees the calls of the program only.
import sys

calls = []


def tracer(frame, event, arg):
    calls.append((event, frame.f_code.co_name))


def work():
    return len("x")


sys.settrace(tracer)
work()
sys.settrace(None)
print(calls)
