"""Bounds on what a run may use, as the kernel keeps them for a process (setrlimit(2)); the tree as a whole is watched elsewhere."""

from __future__ import annotations

import os

from .. import process_tree
from .spec import Spec

PAGE_BYTES = os.sysconf("SC_PAGE_SIZE")

#: Mapped memory that no one uses: stacks of threads, of which BLAS starts one a core, and arenas of malloc.
_SPARE_BYTES = 512 * 1024 * 1024
#: The kernel gives the first numbers only once (RESERVED_PIDS in kernel/pid.c).
_RESERVED_PIDS = 300


def apply(spec: Spec) -> None:
    """Sets the limits of this process, which supervises runs, for all that it starts. Lower ones in force already stay."""
    import resource

    _lower(resource.RLIMIT_CORE, 0)
    _lower(resource.RLIMIT_NOFILE, spec.open_files)
    _lower(resource.RLIMIT_FSIZE, spec.file_bytes)
    # the address space itself is no measure: BLAS and many others map far more than they use
    _lower(resource.RLIMIT_DATA, spec.memory_bytes + _mapped_bytes() + _SPARE_BYTES)
    # in a user namespace only its own processes count; without one, all of this user's do
    if spec.uses("namespaces"):
        _lower(resource.RLIMIT_NPROC, spec.processes)


def apply_to_run(spec: Spec) -> None:
    """Sets what would end the supervisor, too: in time it does as much as many runs."""
    import resource

    # a second later it is killed, whatever it does about SIGXCPU
    resource.setrlimit(resource.RLIMIT_CPU, (spec.cpu_seconds, spec.cpu_seconds + 1))


def bound_processes(limit: int) -> None:
    """Bounds processes and threads of this pid namespace, also those of root, whom RLIMIT_NPROC doesn't bind.

    Needs a /proc that can be written to, and Linux 6.14, where the largest process id became a namespace's own.
    """
    fd = os.open("/proc/sys/kernel/pid_max", os.O_WRONLY | os.O_CLOEXEC)
    try:
        os.write(fd, str(limit + _RESERVED_PIDS).encode())
    except OSError:
        pass
    finally:
        os.close(fd)


def _lower(kind: int, limit: int) -> None:
    import resource

    _, hard = resource.getrlimit(kind)
    if hard != resource.RLIM_INFINITY:
        limit = min(limit, hard)
    resource.setrlimit(kind, (limit, limit))


def _mapped_bytes() -> int:
    """Private memory that this process has mapped and not used up (proc(5), /proc/pid/statm: data)."""
    return int(process_tree.read("/proc/self/statm").split()[5]) * PAGE_BYTES
