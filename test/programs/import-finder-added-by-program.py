# An import hook of one's own is asked and serves a module.
import importlib.abc
import importlib.machinery
import sys


class Finder(importlib.abc.MetaPathFinder, importlib.abc.Loader):
    def find_spec(self, name, path, target=None):
        if name == "made_of_air":
            return importlib.machinery.ModuleSpec(name, self)
        return None

    def exec_module(self, module):
        module.value = "from nothing"


sys.meta_path.append(Finder())
import made_of_air

print(made_of_air.value, made_of_air.__spec__.name)
