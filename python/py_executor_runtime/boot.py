"""Starts an interpreter ahead of a run: `python -u boot.py ROOT`, with the connection to the server as descriptor 3.

ROOT is the server's private folder. The first lines are read by any Python there is, so that one that is too old can
say so. On the connection: READY, then (from the server) RUN, then what `supervisor` sends.
"""

import os
import sys

CONNECTION = 3
OLDEST = (3, 9)

if sys.version_info < OLDEST:
    sys.stderr.write("py-executor needs Python %d.%d or newer; this is %s\n" % (OLDEST + (sys.version.split()[0],)))
    sys.exit(1)

sys.path[0] = os.path.dirname(sys.path[0])

from py_executor_runtime import process_tree, runner, supervisor, wire  # noqa: E402
from py_executor_runtime.interpreter import describe  # noqa: E402
from py_executor_runtime.link import Link  # noqa: E402
from py_executor_runtime.run_folder import RunFolder, remove_if_empty  # noqa: E402

server_pid = os.getppid()
root = sys.argv[1]
folder = RunFolder(root)
link = Link.open()
process_tree.adopt_orphans()
supervisor_pid = os.getpid()
runner_pid = os.fork()
if runner_pid:
    link.keep_supervisor_ends()
    wire.write_all(CONNECTION, wire.frame(wire.READY, wire.pack_fields(describe())))
    supervisor.supervise(CONNECTION, runner_pid, link, folder)
    if os.getppid() != server_pid:
        remove_if_empty(root)  # the server was killed: the last one to go takes its folder along
else:
    os.close(CONNECTION)
    process_tree.die_with_parent(supervisor_pid)
    link.keep_runner_ends()
    runner.run(link)
