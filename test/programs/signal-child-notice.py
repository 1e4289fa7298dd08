# SIGCHLD reaches the program when its own child ends.
import os
import signal

seen = []
signal.signal(signal.SIGCHLD, lambda number, frame: seen.append(number))
child = os.fork()
if child == 0:
    os._exit(0)
print(os.waitpid(child, 0)[1], seen == [signal.SIGCHLD])
