# An exception raised by a handler comes up where the program was.
import signal


class Late(Exception):
    pass


def handler(number, frame):
    raise Late("time is up")


signal.signal(signal.SIGALRM, handler)
try:
    signal.setitimer(signal.ITIMER_REAL, 0.05)
    while True:
        signal.pause()
except Late as error:
    print("caught", error)
signal.raise_signal(signal.SIGALRM)
