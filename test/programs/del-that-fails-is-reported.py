# An error in __del__ cannot be raised; it is written to stderr and the program goes on.
class Broken:
    def __del__(self):
        raise ValueError("in del")


broken = Broken()
del broken
print("went on")
