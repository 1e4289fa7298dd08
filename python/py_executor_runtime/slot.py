"""A place for runs, forked from a template: it keeps a forked runner ready, supervises its run, and forks the next.

No user code runs in this process, so that it can go on with the next run; each run is a fork of it.
"""

from __future__ import annotations

import os

from . import process_tree, supervisor
from .containment.open_place import OpenPlace
from .link import Link
from .run_folder import RunFolder


def serve(connection: int, place: OpenPlace) -> Link | None:
    """Serves one run after the other until the connection is closed.

    Args:
        connection: to the server.
        place: where runs are confined.

    Returns:
        In a forked runner: its end of the pipes. In the slot: None, when it is over.
    """
    process_tree.adopt_orphans()
    own_pid = os.getpid()
    while True:
        link = Link()
        pid = os.fork()
        if pid == 0:
            os.close(connection)
            process_tree.die_with_parent(own_pid)
            link.keep_runner_ends()
            place.confine_run()
            return link
        link.keep_supervisor_ends()
        can_go_on = supervisor.supervise(connection, pid, link, RunFolder(place.folder), place)
        link.close_supervisor_ends()
        if not can_go_on or not place.is_clean():
            return None
