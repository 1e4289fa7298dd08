# Lines put into linecache are shown by the traceback module.
import linecache
import traceback

text = "def fail():\n    return 1 / 0\n"
linecache.cache["<made up>"] = (len(text), None, text.splitlines(True), "<made up>")
namespace = {}
exec(compile(text, "<made up>", "exec"), namespace)
try:
    namespace["fail"]()
except ZeroDivisionError:
    traceback.print_exc()
