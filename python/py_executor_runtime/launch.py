"""Starts an interpreter inside containment: `python -E -s -S launch.py PROGRAM ARGUMENTS...`, its terms on standard input.

It is run by an interpreter that no run can have written to. The program, often a `.venv`'s Python in the workspace, might
have been put there by a run: it is started when everything is confined already, and reads from its terms what is in force.
"""

# No annotations here: the first lines have to be understood by any Python.
# ruff: noqa: RUF005, UP031

import os
import sys

OLDEST = (3, 9)

if sys.version_info < OLDEST:
    found = sys.version.split()[0]
    sys.stderr.write("py-executor needs Python %d.%d or newer; this is %s\n" % (OLDEST + (found,)))
    sys.exit(1)

sys.path[:0] = [os.path.dirname(os.path.dirname(os.path.abspath(__file__)))]

from py_executor_runtime.containment.launcher import main

main(sys.argv[1:])
