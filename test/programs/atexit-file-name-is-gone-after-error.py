# After an uncaught error, too, atexit functions find no __file__.
import atexit

atexit.register(lambda: print("__file__" in globals(), "__name__" in globals()))
raise ValueError("the traceback shows its line all the same")
