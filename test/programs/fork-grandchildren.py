# Forks of forks print in the order in which they are waited for.
import os

for level in range(4):
    child = os.fork()
    if child:
        status = os.waitpid(child, 0)[1]
        print("level", level, "saw", os.WEXITSTATUS(status))
        os._exit(level)
print("deepest")
os._exit(9)
