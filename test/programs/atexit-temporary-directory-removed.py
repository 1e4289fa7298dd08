# A TemporaryDirectory left open is removed at exit, before a finalizer that was registered first.
import os
import tempfile
import weakref


class Witness:
    pass


witness = Witness()
folder = tempfile.TemporaryDirectory()
path = folder.name
print(os.path.isdir(path))


class Last:
    def __del__(self, exists=os.path.exists, path=path, print=print):
        print("still there:", exists(path))


last = Last()
weakref.finalize(witness, print, "finalizer")
