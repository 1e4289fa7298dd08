# A handler of one's own gets number and frame, and the program goes on after it.
import os
import signal


def handler(number, frame):
    print("got", signal.Signals(number).name, frame.f_code.co_name)


def work():
    os.kill(os.getpid(), signal.SIGTERM)
    for _ in range(10):
        pass
    print("work goes on")


print(signal.signal(signal.SIGTERM, handler).name)
work()
