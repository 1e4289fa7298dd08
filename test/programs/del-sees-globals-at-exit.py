# __del__ at exit may still use builtins and what it holds itself.
import os


class Writer:
    def __init__(self):
        self.path = os.path.abspath("written-late.txt")
        self.open, self.close, self.write = os.open, os.close, os.write

    def __del__(self, flags=os.O_CREAT | os.O_WRONLY, read=os.read):
        descriptor = self.open(self.path, flags)
        self.write(descriptor, b"late")
        self.close(descriptor)
        descriptor = self.open(self.path, 0)
        print(read(descriptor, 10), len([1, 2]))


writer = Writer()
