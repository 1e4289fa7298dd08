# SIGHUP, SIGUSR1 and SIGALRM kill too; tried in forked children, then on the program itself.
import os
import signal
import time

for number in (signal.SIGHUP, signal.SIGUSR1, signal.SIGALRM, signal.SIGQUIT):
    child = os.fork()
    if child == 0:
        os.kill(os.getpid(), number)
        time.sleep(5)
        os._exit(1)
    status = os.waitpid(child, 0)[1]
    print(number.name, os.WIFSIGNALED(status), os.WTERMSIG(status) == number)
os.kill(os.getpid(), signal.SIGUSR2)
time.sleep(5)
