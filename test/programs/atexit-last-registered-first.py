# Functions registered with atexit run in reverse order, with their arguments, after the last line.
import atexit

for number in range(3):
    atexit.register(print, "exit", number, sep=" ")


@atexit.register
def decorated():
    print("decorated")


print("last line")
