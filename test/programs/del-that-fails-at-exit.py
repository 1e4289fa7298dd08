# An error in __del__ at exit is reported too and leaves the exit code 0.
class Broken:
    def __del__(self):
        raise ValueError("in del at exit")


broken = Broken()
print("last line")
