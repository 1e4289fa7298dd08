# An exception group prints as a tree.
# requires: 3.11
def fail(kind, text):
    try:
        raise kind(text)
    except kind as error:
        return error


raise ExceptionGroup(
    "two of three",
    [
        fail(ValueError, "left"),
        ExceptionGroup("inner", [fail(KeyError, "right"), OSError("never raised")]),
    ],
)
