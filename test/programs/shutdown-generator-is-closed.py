# A generator that waits at a yield is closed at exit and its finally block runs.
def steps():
    try:
        yield 1
        yield 2
    finally:
        print("generator cleaned up")


running = steps()
print(next(running))
