# "raise from None" hides the first error.
try:
    {}["secret"]
except KeyError:
    raise PermissionError("hidden reason") from None
