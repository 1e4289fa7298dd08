# No helper of a runner is found among the globals or the builtins.
import builtins
import sys

print([name for name in ("_", "__", "In", "Out", "get_ipython", "exit_code") if hasattr(builtins, name) or name in globals()])
print([name for name in globals() if not (name.startswith("__") and name.endswith("__"))])
print("__mp_main__" in sys.modules, hasattr(sys, "last_exc"), hasattr(sys, "ps1"))
