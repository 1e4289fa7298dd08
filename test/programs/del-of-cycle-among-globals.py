# Objects go in their order, and garbage in a cycle after them.
class Noisy:
    def __init__(self, name):
        self.name = name

    def __del__(self):
        print("gone", self.name)


first = Noisy("first")
_private = Noisy("private")
cycle = [Noisy("in a cycle")]
cycle.append(cycle)
last = Noisy("last")
