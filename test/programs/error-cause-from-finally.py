# An error in a finally block has the first one as context.
def close():
    raise OSError("could not close")


try:
    raise ValueError("first")
finally:
    close()
