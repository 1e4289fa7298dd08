# A child that reaches the end of the file exits like a program: atexit and all, with code 0.
import atexit
import os

atexit.register(print, "atexit of each process")
child = os.fork()
if child:
    print("child ended with", os.waitpid(child, 0)[1])
print("end of the", "parent" if child else "child")
