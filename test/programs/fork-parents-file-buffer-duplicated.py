# Text buffered before a fork is written by both processes, as always with fork.
import os

log = open("log.txt", "a")
log.write("once in the source\n")
child = os.fork()
if child == 0:
    log.close()
    os._exit(0)
os.waitpid(child, 0)
log.close()
with open("log.txt") as file:
    print(file.read().count("once"))
