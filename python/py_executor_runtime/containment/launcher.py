"""Confines this process as far as that is possible here, and becomes the program that was wanted; see `launch`."""

from __future__ import annotations

import json
import os
import sys

from .. import process_tree, terms
from ..run_folder import remove_tree
from . import environment, kernel, namespaces, probe, rules, seccomp
from .place import PROCESSES
from .spec import Spec

#: The connection to the server.
CONNECTION = 3


def main(command: list[str]) -> None:
    """Confines this process as far as possible here and becomes the program; or waits for a child that does."""
    process_tree.close_strangers(CONNECTION)
    given = terms.receive()
    spec = Spec(given.spec)
    missing = probe.find_missing(spec)
    if spec.is_strict and any(layer in missing for layer in spec.layers):
        reasons = "; ".join(f"{layer}: {reason}" for layer, reason in missing.items())
        sys.exit(f"containment is not complete, and --sandbox strict wants it so: {reasons}")
    layers = [layer for layer in spec.layers if layer not in missing]
    spec = Spec(json.dumps({**json.loads(given.spec), "layers": layers, "missing": missing}))
    if spec.uses("namespaces"):
        namespaces.enter_new(network=spec.network != "all")
        _continue_as_init(given)
        processes = environment.furnish(spec)
        if processes != PROCESSES:
            os.dup2(processes, PROCESSES)
        os.set_inheritable(PROCESSES, True)
    kernel.prctl(kernel.PR_SET_NO_NEW_PRIVS, 1)
    if spec.uses("landlock") and not spec.uses("namespaces"):
        rules.enforce(
            spec, spec.root
        )  # where there are namespaces, Landlock would forbid to make those of runs
    if spec.uses("seccomp"):
        seccomp.apply(namespaces=True, families=seccomp.NETWORK_FAMILIES)
    terms.hand_on(terms.Terms(given.root, given.server, spec.text))
    os.execv(command[0], command)


def _continue_as_init(given: terms.Terms) -> None:
    """Goes on in the init process of the new pid namespace; this one waits for it, and ends as it does."""
    pid = os.fork()
    if pid == 0:
        process_tree.die_with_parent(
            0
        )  # as which any process outside of the namespace is seen (getppid(2))
        return
    os.close(CONNECTION)
    code = os.waitstatus_to_exitcode(os.waitpid(pid, 0)[1])
    if not process_tree.is_alive(given.server):
        remove_tree(given.root)  # it was killed, and nobody else is left to do it
    os._exit(code if code >= 0 else 128 - code)
