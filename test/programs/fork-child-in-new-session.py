# A forked child can lead a session of its own; the parent waits for it.
import os

child = os.fork()
if child == 0:
    os.setsid()
    print("child leads", os.getsid(0) == os.getpid(), os.getpgrp() == os.getpid())
    os._exit(0)
print(os.waitpid(child, 0)[1], os.getpid() != child)
