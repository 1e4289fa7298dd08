# A profile function that is never taken out does not disturb the end of the program.
import sys

seen = []
sys.setprofile(lambda frame, event, arg: seen.append(frame.f_code.co_name))


def work():
    pass


work()
print(seen.count("work"))
