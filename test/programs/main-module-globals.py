# A fresh program has the module dunders and nothing else.
print(sorted(globals()))
print(dir() == sorted(globals()), vars() is globals(), locals() is globals())
print(__cached__ if "__cached__" in globals() else "no __cached__")
