# An error while importing a local module shows both files' lines, without the import machinery.
with open("broken_inside.py", "w") as file:
    file.write("def prepare():\n    return {}['key']\n\nprepare()\n")
import os
import sys

print("broken_inside" in sys.modules)
try:
    import broken_inside
except KeyError as error:
    trace = error.__traceback__
    while trace:
        print(os.path.basename(trace.tb_frame.f_code.co_filename) == "broken_inside.py", trace.tb_lineno)
        trace = trace.tb_next
print("broken_inside" in sys.modules)
