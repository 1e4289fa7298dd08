# sys.exit in the child ends the child only.
import os
import sys

child = os.fork()
if child == 0:
    sys.exit(7)
print(os.WEXITSTATUS(os.waitpid(child, 0)[1]))
sys.exit(2)
