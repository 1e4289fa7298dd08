# A process killed by a signal has the negative number as its exit code.
import multiprocessing
import os
import signal


def die(number):
    os.kill(os.getpid(), number)
    signal.pause()


context = multiprocessing.get_context("fork")
for number in (signal.SIGKILL, signal.SIGTERM):
    process = context.Process(target=die, args=(number,))
    process.start()
    process.join()
    print(process.exitcode)
