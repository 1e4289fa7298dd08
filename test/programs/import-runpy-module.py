# runpy.run_module finds a local module and can call it __main__.
import runpy

with open("as_module.py", "w") as file:
    file.write("print(__name__, __package__ == '', __spec__.name)\n")
runpy.run_module("as_module", run_name="__main__")
runpy.run_module("as_module")
