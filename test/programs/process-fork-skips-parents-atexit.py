# A forked multiprocessing child runs neither the parent's atexit functions nor the rest of the file.
import atexit
import multiprocessing


def work():
    print("child")


atexit.register(print, "atexit once")
process = multiprocessing.get_context("fork").Process(target=work)
process.start()
process.join()
print("main once")
