"""A fresh interpreter for one run: it forks the runner while nothing has been imported, and supervises it."""

from __future__ import annotations

import os

from . import process_tree, runner, supervisor
from .link import Link
from .run_folder import RunFolder, remove_if_empty

CONNECTION = 3


def main(root: str, server: int) -> None:
    """Serves the one run that comes over the connection; returns, or ends by SystemExit, when it is over."""
    process_tree.close_strangers(CONNECTION)
    link = Link()
    process_tree.adopt_orphans()
    own_pid = os.getpid()
    pid = os.fork()
    if pid == 0:
        os.close(CONNECTION)
        process_tree.die_with_parent(own_pid)
        link.keep_runner_ends()
        runner.run(link)
        return
    link.keep_supervisor_ends()
    supervisor.supervise(CONNECTION, pid, link, RunFolder(root))
    if not process_tree.is_alive(server):
        remove_if_empty(root)  # the server was killed: the last one to go takes its folder along
