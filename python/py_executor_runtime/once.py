"""A fresh interpreter for one run: it forks the runner while nothing has been imported, and supervises it."""

from __future__ import annotations

import os

from . import process_tree, runner, supervisor
from .containment.open_place import place_for
from .link import Link
from .run_folder import RunFolder, remove_if_empty
from .terms import Terms

CONNECTION = 3


def main(terms: Terms) -> None:
    """Serves the one run that comes over the connection; returns, or ends by SystemExit, when it is over."""
    place = place_for(terms.folder, terms.spec)
    process_tree.close_strangers(place.highest_descriptor)
    place.enter()
    link = Link()
    process_tree.adopt_orphans()
    own_pid = os.getpid()
    pid = os.fork()
    if pid == 0:
        os.close(CONNECTION)
        process_tree.die_with_parent(own_pid)
        link.keep_runner_ends()
        place.confine_run()
        runner.run(link)
        return
    link.keep_supervisor_ends()
    next_use = supervisor.supervise(CONNECTION, pid, link, RunFolder(place.folder), place)
    if next_use == supervisor.SESSIONS:
        from . import session_host  # imports what a plain run is not to find imported

        action = session_host.serve(CONNECTION, place)
        if action is not None:
            action()
            return
    if not place.is_apart and not process_tree.is_alive(terms.server):
        remove_if_empty(
            terms.root
        )  # the server was killed: the last one to go takes its folder along
