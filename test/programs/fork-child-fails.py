# An uncaught error in the child is printed once; the parent sees code 1.
import os


def work():
    raise ValueError("in the child")


child = os.fork()
if child == 0:
    work()
print("child ended with", os.WEXITSTATUS(os.waitpid(child, 0)[1]))
