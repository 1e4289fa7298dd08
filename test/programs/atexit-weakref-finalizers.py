# weakref.finalize callbacks that are still alive run at exit, newest first.
import weakref


class Thing:
    pass


one, two = Thing(), Thing()
weakref.finalize(one, print, "finalize one")
weakref.finalize(two, print, "finalize two")
silent = weakref.finalize(one, print, "never")
silent.atexit = False
print("last line")
