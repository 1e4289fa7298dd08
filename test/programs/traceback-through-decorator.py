# A decorated function shows the wrapper's line and its own.
import functools


def logged(function):
    @functools.wraps(function)
    def wrapper(*args, **kwargs):
        print("calling", function.__name__)
        return function(*args, **kwargs)

    return wrapper


@logged
@functools.lru_cache(maxsize=None)
def ratio(a, b):
    return a / b


ratio(1, 0)
