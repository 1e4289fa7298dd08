# A submodule of something that is no package.
try:
    import json.nothing
except ModuleNotFoundError as error:
    print(error, "|", error.name)
import math.sub
