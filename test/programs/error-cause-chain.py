# "raise from" prints the cause first, then the direct-cause line, three deep.
def read():
    try:
        int("twelve")
    except ValueError as error:
        raise LookupError("no number") from error


def load():
    try:
        read()
    except LookupError as error:
        raise RuntimeError("no settings") from error


load()
