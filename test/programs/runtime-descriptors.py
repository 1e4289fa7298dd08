# Of the first descriptors only 0, 1 and 2 are open, so the next file gets 3.
import os


def is_open(number):
    try:
        os.fstat(number)
    except OSError:
        return False
    return True


print([number for number in range(64) if is_open(number)])
print(os.open(os.devnull, os.O_RDONLY), [os.get_inheritable(number) for number in range(3)])
