# A bare raise keeps the line where the error began.
def risky(value):
    return 10 // value


def careful(value):
    try:
        return risky(value)
    except ZeroDivisionError:
        print("cleaning up")
        raise


careful(0)
