# A forked child that just falls off the end flushes its files; the parent reads them.
import os

child = os.fork()
if child == 0:
    log = open("child.txt", "w")
    log.write("written by the child, never closed")
else:
    print(os.waitpid(child, 0)[1])
    with open("child.txt") as file:
        print(file.read())
