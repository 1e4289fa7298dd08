# traceback.print_exc, format_exc and logging show the program's own frames only.
import traceback


def fail():
    raise KeyError("inner")


try:
    fail()
except KeyError:
    traceback.print_exc()
    print(traceback.format_exc().count("File"))
    print(traceback.format_exc(limit=1).splitlines()[-2].strip())
print("went on")
