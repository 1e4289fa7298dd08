"""A place for runs, forked from a template: it keeps a forked runner ready, supervises its run, and forks the next.

No user code runs in this process, so that it can go on with the next run; each run is a fork of it.
"""

from __future__ import annotations

import os

from . import process_tree, runner, session_host, supervisor, wire
from .link import Link
from .run_folder import RunFolder

TYPE_CHECKING = False  # typing itself takes longer to import than a run takes
if TYPE_CHECKING:
    from typing import Callable

    from .containment.open_place import OpenPlace


def serve(connection: int, place: OpenPlace, *, for_sessions: bool) -> Callable[[], None] | None:
    """Serves one run after the other until the connection is closed, or sessions if the server wants them here.

    Args:
        connection: to the server.
        place: where runs are confined.
        for_sessions: whether the server wants sessions here from the beginning: then no runner is forked ahead.

    Returns:
        In a forked process: what it is to do. In the slot: None, when it is over.
    """
    process_tree.adopt_orphans()
    if for_sessions:
        wire.write_all(connection, place.greeting)
        return session_host.serve(connection, place)
    own_pid = os.getpid()
    while True:
        link = Link()
        pid = os.fork()
        if pid == 0:
            os.close(connection)
            process_tree.die_with_parent(own_pid)
            link.keep_runner_ends()
            place.confine_run()
            return lambda: runner.run(link)
        link.keep_supervisor_ends()
        next_use = supervisor.supervise(connection, pid, link, RunFolder(place.folder), place)
        link.close_supervisor_ends()
        if next_use == supervisor.SESSIONS:
            return session_host.serve(connection, place)
        if next_use == supervisor.OVER or not place.is_clean():
            return None
