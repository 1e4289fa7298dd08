# Globals and imported modules are intact in atexit functions, and os._exit there decides the code.
import atexit
import os

state = {"count": 1}


def report():
    print("state", state, __name__)
    os._exit(state["count"] + 20)


atexit.register(report)
state["count"] += 1
