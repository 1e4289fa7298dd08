# with_traceback(None) drops the frames gathered before.
def deep():
    raise ValueError("from below")


try:
    deep()
except ValueError as error:
    raise error.with_traceback(None)
