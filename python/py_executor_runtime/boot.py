"""Where an interpreter of the server's starts: `python -u boot.py ROLE ROOT PID`, the connection to it as descriptor 3.

ROLE is `once` (a fresh interpreter for one run) or `template` (a warm one that runs are forked from); ROOT is the
server's private folder, PID its process. The first lines are read by any Python there is, so that one that is too old can say so.
"""

import os
import sys

OLDEST = (3, 9)
#: Read by `fresh`: what any interpreter has loaded when a script begins.
MODULES_AT_START = tuple(sys.modules)

if sys.version_info < OLDEST:
    found = sys.version.split()[0]
    sys.stderr.write("py-executor needs Python %d.%d or newer; this is %s\n" % ((*OLDEST, found)))  # noqa: UP031
    sys.exit(1)

if not hasattr(os, "fork"):
    sys.stderr.write("py-executor needs a system that can fork: on Windows, use it inside WSL\n")
    sys.exit(1)

sys.path[0] = os.path.dirname(sys.path[0])

if sys.argv[1] == "once":
    from py_executor_runtime.once import main
else:
    from py_executor_runtime.template import main

main(sys.argv[2], int(sys.argv[3]))
