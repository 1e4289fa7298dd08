# Objects that live until the end get their __del__ called then, after atexit functions, in Python's order.
import atexit


class Noisy:
    def __init__(self, name):
        self.name = name

    def __del__(self):
        print("del", self.name)


atexit.register(print, "atexit")
first = Noisy("first")
second = Noisy("second")
_private = Noisy("private")
print("last line")
