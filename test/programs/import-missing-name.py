# The message for a name that a module does not have.
try:
    from os import no_such_function
except ImportError as error:
    print(error.name, "no_such_function" in str(error))
from json import dumpz
