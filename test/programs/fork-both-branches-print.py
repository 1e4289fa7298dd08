# After os.fork both branches go on; waitpid gives the child's exit code.
import os

print("before the fork, once")
child = os.fork()
if child == 0:
    print("child branch")
    os._exit(6)
pid, status = os.waitpid(child, 0)
print("parent branch", pid == child, os.WEXITSTATUS(status))
