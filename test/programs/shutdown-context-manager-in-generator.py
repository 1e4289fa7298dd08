# A with block inside a suspended generator is left when the generator is freed.
import contextlib


@contextlib.contextmanager
def room():
    print("enter")
    try:
        yield
    finally:
        print("leave")


def visitor():
    with room():
        yield "inside"


guest = visitor()
print(next(guest))
del guest
print("last line")
