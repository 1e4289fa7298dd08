# An exception that derives from BaseException alone is uncaught like the rest: exit code 1.
class Halt(BaseException):
    pass


try:
    raise Halt("not an Exception")
except Exception:
    print("never")
