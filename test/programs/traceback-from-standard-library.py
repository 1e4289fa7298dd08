# Frames of the standard library stand between the program's line and the error.
import json

json.loads('{"key": [1, 2,}')
