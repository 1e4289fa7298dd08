# On the way out finally blocks and context managers run, innermost first.
import contextlib
import sys


@contextlib.contextmanager
def room(name):
    print("enter", name)
    try:
        yield
    finally:
        print("leave", name)


def work():
    with room("inner"):
        try:
            sys.exit(4)
        finally:
            print("finally")


with room("outer"):
    work()
