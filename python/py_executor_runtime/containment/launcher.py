"""Confines this process as far as that is possible here, and becomes the program that was wanted; see `launch`."""

from __future__ import annotations

import json
import os
import select
import sys

from .. import process_tree, terms
from ..run_folder import remove_tree
from . import environment, kernel, landlock, namespaces, probe, rules, seccomp
from .place import PROCESSES
from .spec import Spec

#: The connection to the server.
CONNECTION = 3
#: How long what was started may take to end, and to tidy up, when the server has been killed; a program that a run has put in
#: the interpreter's place may not mean to.
_PATIENCE_MS = 3000


def main(command: list[str]) -> None:
    """Confines this process as far as possible here and becomes the program; or waits for a child that does."""
    process_tree.close_strangers(CONNECTION)
    __import__("fcntl")  # for terms.hand_on: this interpreter's own library may be hidden by then
    given = terms.receive()
    spec = Spec(given.spec)
    missing = probe.find_missing(spec, given.folder)
    if spec.is_strict and any(layer in missing for layer in spec.layers):
        reasons = "; ".join(f"{layer}: {reason}" for layer, reason in missing.items())
        sys.exit(f"containment is not complete, and --sandbox strict wants it so: {reasons}")
    layers = [layer for layer in spec.layers if layer not in missing]
    spec = Spec(json.dumps({**json.loads(given.spec), "layers": layers, "missing": missing}))
    if spec.uses("namespaces"):
        namespaces.enter_new(network=spec.network != "all")
        _continue_in_child(given, parent=0)  # as which any process outside of the namespace is seen
        processes = environment.furnish(spec, given.folder)
        if processes != PROCESSES:
            os.dup2(processes, PROCESSES)
        os.set_inheritable(PROCESSES, True)
    else:
        process_tree.adopt_orphans()
        if spec.uses("landlock"):
            kernel.prctl(kernel.PR_SET_NO_NEW_PRIVS, 1)
            if landlock.fence():
                process_tree.rely_on_fence()  # what is left at the end is killed at once
        _continue_in_child(given, parent=os.getpid())
    kernel.prctl(kernel.PR_SET_NO_NEW_PRIVS, 1)
    if not spec.uses("namespaces"):
        if spec.uses("landlock"):  # beside namespaces it would forbid to make those of runs
            rules.enforce(spec, given.folder)
        kernel.drop_capabilities(keep=kernel.CAPABILITIES_OVER_FILES)  # see Place.enter
    if spec.uses("seccomp"):
        seccomp.apply(namespaces=spec.uses("namespaces"), families=seccomp.NETWORK_FAMILIES)
    terms.hand_on(terms.Terms(given.root, given.folder, given.server, spec.text))
    os.execv(command[0], command)


def _continue_in_child(given: terms.Terms, parent: int) -> None:
    """Goes on in a child: with a new pid namespace, its init process. This one waits for it, and ends as it does.

    Args:
        given: what to be told by that the server is gone.
        parent: this process as the child sees it (getppid(2)).
    """
    pid = os.fork()
    if pid == 0:
        process_tree.die_with_parent(parent)
        return
    os.close(CONNECTION)
    if not _ends_by_itself(pid, given.server):
        process_tree.kill(pid)
    code = os.waitstatus_to_exitcode(os.waitpid(pid, 0)[1])
    process_tree.kill_all()  # in namespaces nothing is left by now
    if not process_tree.is_alive(given.server):
        remove_tree(given.root)  # it was killed, and nobody else is left to do it
    os._exit(code if code >= 0 else 128 - code)


def _ends_by_itself(pid: int, server: int) -> bool:
    """Waits for the end of a child; returns False if it goes on though the server is gone."""
    try:
        child_end, server_end = os.pidfd_open(pid), os.pidfd_open(server)
    except (AttributeError, OSError):
        return True  # before Linux 5.3 there is nothing to wait for both by
    poller = select.poll()
    poller.register(child_end, select.POLLIN)
    poller.register(server_end, select.POLLIN)
    poller.poll()
    poller.unregister(server_end)
    return bool(poller.poll(_PATIENCE_MS))
