# If str() of the exception fails the traceback says so.
class Silent(Exception):
    def __str__(self):
        raise TypeError("no message")


raise Silent("unseen")
