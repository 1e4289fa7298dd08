"""The namespaces that a template and all its places live in: the first step of confinement, before anything is imported."""

from __future__ import annotations

from . import mounts, namespaces
from .spec import Spec

#: All runs of a template together may have this many times the processes of one.
_RUNS_AT_ONCE = 4


def furnish(spec: Spec, folder: str) -> int:
    """Makes what all below see of the machine; called in the init process of new namespaces (`namespaces.enter_new`).

    Args:
        spec: what to confine to.
        folder: what of the server's private folder belongs to the interpreter that is started here.

    Returns:
        A descriptor of this namespace's processes, for `Place`.
    """
    mounts.make_view(spec, folder)
    processes = mounts.open_own_processes()
    mounts.mount_processes(bound=_RUNS_AT_ONCE * spec.processes)
    namespaces.lock_mounts(processes)
    return processes
