"""Where an interpreter of the server's starts: `python -u boot.py ROLE`, the connection to the server as descriptor 3.

ROLE is `once` (a fresh interpreter for one run) or `template` (a warm one that runs are forked from); the rest comes
through standard input (see `terms`). The first lines are read by any Python there is, so that one that is too old can
say so.
"""

# No annotations here: the first lines have to be understood by any Python.
# ruff: noqa: ANN001, ANN201, ANN206, RUF005, UP008, UP031
# pyright: basic

import os
import sys

OLDEST = (3, 9)
#: Read by `fresh`: what any interpreter has loaded when a script begins.
MODULES_AT_START = tuple(sys.modules)

if sys.version_info < OLDEST:
    found = sys.version.split()[0]
    sys.stderr.write("py-executor needs Python %d.%d or newer; this is %s\n" % (OLDEST + (found,)))
    sys.exit(1)

if not hasattr(os, "fork"):
    sys.stderr.write("py-executor needs a system that can fork: on Windows, use it inside WSL\n")
    sys.exit(1)

sys.path[0] = os.path.dirname(sys.path[0])


class OwnLoader(type(__loader__)):  # the interpreter's own loader of source files
    """Loads the modules of `py_executor_runtime` with builtins of their own.

    They go on working after a script, whatever that has done to the builtins which it shares with everyone else.
    """

    BUILTINS = vars(sys.modules["builtins"]).copy()

    def exec_module(self, module):
        """Runs the module's code; the `__builtins__` that are in its globals by then are used."""
        vars(module)["__builtins__"] = self.BUILTINS
        super(OwnLoader, self).exec_module(module)

    @classmethod
    def find_spec(cls, name, path=None, target=None):
        """Finds what the usual finder finds, as an entry of sys.meta_path (PEP 451)."""
        if not name.startswith("py_executor_runtime."):
            return None
        spec = sys.meta_path[-1].find_spec(name, path)
        if spec is not None:
            spec.loader = cls(name, spec.origin)
        return spec


sys.meta_path.insert(0, OwnLoader)

from py_executor_runtime import terms

if sys.argv[1] == "once":
    from py_executor_runtime.once import main
else:
    from py_executor_runtime.template import main

sys.meta_path.remove(OwnLoader)
main(terms.receive())
