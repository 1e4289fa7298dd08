"""Looks after what the kernel bounds only for single processes: the memory and the number of all processes of a run."""

from __future__ import annotations

import os

from .. import process_tree
from .mounts import STORE
from .spec import Spec

_PAGE_BYTES = os.sysconf("SC_PAGE_SIZE")
#: How often to look, in seconds, and how often where adding it all up takes long.
INTERVAL_SECONDS = 0.05
_SLOW_INTERVAL_SECONDS = 0.25


class Watch:
    """Watches all processes of one run.

    Attributes:
        interval: seconds until the next look is due.
    """

    def __init__(self, spec: Spec, *, is_apart: bool) -> None:
        """`is_apart`: whether the processes of this pid namespace are the run's, and no others."""
        self._spec = spec
        self._is_apart = is_apart
        self.interval = INTERVAL_SECONDS

    def look(self) -> str:
        """What the run has outgrown: "memory", "processes", or nothing."""
        pids = _others() if self._is_apart else process_tree.descendants()
        if len(pids) > self._spec.processes:
            return "processes"
        stored = _stored_bytes() if self._is_apart else 0
        limit = self._spec.memory_bytes - stored
        if sum(_anonymous_bytes(pid) for pid in pids) <= limit:
            self.interval = INTERVAL_SECONDS
            return ""
        # pages that processes still share since their fork were counted for each of them
        self.interval = _SLOW_INTERVAL_SECONDS
        return "memory" if sum(_proportional_bytes(pid) for pid in pids) > limit else ""


def is_full() -> bool:
    """Whether the temporary folders have no room left."""
    return os.statvfs(STORE).f_bavail == 0


def _stored_bytes() -> int:
    found = os.statvfs(STORE)
    return (found.f_blocks - found.f_bfree) * found.f_frsize


def _others() -> list[int]:
    return [int(name) for name in os.listdir("/proc") if name.isdigit() and name != "1"]


def _anonymous_bytes(pid: int) -> int:
    """Memory of its own that a process has in RAM (proc(5), /proc/pid/statm: resident less shared)."""
    fields = process_tree.read(f"/proc/{pid}/statm").split()
    return (int(fields[1]) - int(fields[2])) * _PAGE_BYTES if len(fields) > 2 else 0


def _proportional_bytes(pid: int) -> int:
    """The same, each shared page counted in parts (proc(5), smaps_rollup: Pss_Anon)."""
    for line in process_tree.read(f"/proc/{pid}/smaps_rollup").splitlines():
        if line.startswith(b"Pss_Anon:"):
            return int(line.split()[1]) * 1024
    return _anonymous_bytes(pid)
