# An uncaught KeyboardInterrupt runs atexit functions and then ends by SIGINT.
import atexit

atexit.register(print, "atexit still runs")
raise KeyboardInterrupt("by hand")
