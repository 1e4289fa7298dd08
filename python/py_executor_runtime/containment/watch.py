"""Looks after what the kernel bounds only for single processes: the memory and the number of all processes of a run."""

from __future__ import annotations

import os

from .. import process_tree
from .limits import PAGE_BYTES
from .mounts import STORE
from .spec import Spec

#: How often to look, in seconds, and how often where adding it all up takes long.
INTERVAL_SECONDS = 0.05
_SLOW_INTERVAL_SECONDS = 0.25
#: What waits in a socket to be read is the kernel's memory and in no process; as much as this each, by default (socket(7)).
_SOCKET_BYTES = 212992


class Watch:
    """Watches all processes of one run.

    Attributes:
        interval: seconds until the next look is due.
    """

    def __init__(self, spec: Spec, *, is_apart: bool) -> None:
        """`is_apart`: whether the processes of this pid namespace are the run's, and no others."""
        self._spec = spec
        self._is_apart = is_apart
        self._has_own_network = is_apart and spec.network != "all"
        self.interval = INTERVAL_SECONDS

    def look(self) -> str:
        """What the run has outgrown: "memory", "processes", or nothing."""
        most = self._spec.processes
        # those of a fork bomb come faster than they can be walked
        pids = _others() if self._is_apart else process_tree.descendants(most)
        if len(pids) > most:
            return "processes"
        stored = _stored_bytes() if self._is_apart else 0
        limit = self._spec.memory_bytes
        if self._has_own_network and _count_sockets() * _SOCKET_BYTES > limit:
            return "memory"
        if sum(_resident_bytes(pid) for pid in pids) + stored <= limit:
            self.interval = INTERVAL_SECONDS
            return ""
        # pages that processes share, since their fork or with files, were counted for each of them
        self.interval = _SLOW_INTERVAL_SECONDS
        own, shared = 0, 0
        for pid in pids:
            anonymous, without_file = _proportional_bytes(pid)
            own += anonymous
            shared += without_file
        # what is mapped of files in the temporary folders is among both
        return "memory" if own + max(stored, shared) > limit else ""


def is_full() -> bool:
    """Whether the temporary folders have no room left."""
    return os.statvfs(STORE).f_bavail == 0


def _stored_bytes() -> int:
    found = os.statvfs(STORE)
    return (found.f_blocks - found.f_bfree) * found.f_frsize


def _count_sockets() -> int:
    """Sockets of this network namespace, whether a process has them open or they are on their way to one."""
    return int(process_tree.read("/proc/net/sockstat").split(None, 3)[2])


def _others() -> list[int]:
    return [int(name) for name in os.listdir("/proc") if name.isdigit() and name != "1"]


def _resident_bytes(pid: int) -> int:
    """Memory that a process has in RAM, all that it shares included (proc(5), /proc/pid/statm)."""
    fields = process_tree.read(f"/proc/{pid}/statm").split()
    return int(fields[1]) * PAGE_BYTES if len(fields) > 1 else 0


def _proportional_bytes(pid: int) -> tuple[int, int]:
    """Its own memory, and shared memory that is in no file on a disk, each page counted in parts (proc(5), smaps_rollup)."""
    found = {b"Pss_Anon:": 0, b"Pss_Shmem:": 0}
    text = process_tree.read(f"/proc/{pid}/smaps_rollup")
    for line in text.splitlines():
        name, *fields = line.split()
        if name in found:
            found[name] = int(fields[0]) * 1024
    if not text:
        return _resident_bytes(pid), 0  # it keeps others from looking
    return found[b"Pss_Anon:"], found[b"Pss_Shmem:"]
