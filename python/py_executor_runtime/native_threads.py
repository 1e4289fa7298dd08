"""Threads that libraries have started without Python, and whether a fork of the process would miss them."""

from __future__ import annotations

import os

from .forking import _exit, fork, getpid, wait_for

TASKS = "/proc/self/task"
#: Names of threads, and libraries whose threads these are, that are started again in a fork when they are needed:
#: jemalloc's (jemalloc_postfork_child) and Arrow's, which pandas reads files with (arrow::internal::AtFork).
FORK_AWARE_NAMES = frozenset({"jemalloc_bg_thd"})
FORK_AWARE_LIBRARIES = ("libarrow.so", "libarrow_")
#: How much of a thread's stack is looked at. One that waits for work is a few calls deep.
STACK_BYTES = 16 * 1024
WORD = 8


def count(libraries: tuple[str, ...] = FORK_AWARE_LIBRARIES) -> int:
    """How many threads a fork would miss; the caller has seen to it that no others run Python.

    Threads that their library ends before a fork, as OpenBLAS does, are none (pthread_atfork(3)).

    Args:
        libraries: beginnings of the names of libraries whose threads don't count.
    """
    if len(_others()) == 0:
        return 0
    pid = fork()  # makes such libraries end theirs
    if pid == 0:
        _exit(0)
    wait_for(pid)
    others = [task for task in _others() if _name_of(task) not in FORK_AWARE_NAMES]
    if not others:
        return 0
    code = _code_of(libraries)
    return sum(not _is_waiting_in(task, code) for task in others)


def _others() -> list[str]:
    try:
        return [task for task in os.listdir(TASKS) if int(task) != getpid()]
    except OSError:
        return []


def _name_of(task: str) -> str:
    return _read(f"{TASKS}/{task}/comm").decode("utf-8", "replace").rstrip("\n")


def _code_of(libraries: tuple[str, ...]) -> list[range]:
    """Where the code of these libraries is in memory (proc(5), /proc/pid/maps)."""
    found: list[range] = []
    for line in _read("/proc/self/maps").splitlines():
        addresses, permissions, *rest = line.split(maxsplit=5)
        file = os.path.basename(os.fsdecode(rest[3])) if len(rest) == 4 else ""
        if b"x" in permissions and file.startswith(libraries):
            start, _, end = addresses.partition(b"-")
            found.append(range(int(start, 16), int(end, 16)))
    return found


def _is_waiting_in(task: str, code: list[range]) -> bool:
    """Whether a thread waits in a system call that this code has made, however indirectly.

    Nothing says which library has started a thread. But while it waits, the addresses at which it will go on are on
    its stack, and the stack's end is told (proc(5), /proc/pid/syscall: the last but one of the numbers).
    """
    numbers = _read(f"{TASKS}/{task}/syscall").split()
    if not code or len(numbers) < 3:  # it runs
        return False
    try:
        with open("/proc/self/mem", "rb", buffering=0) as memory:
            memory.seek(int(numbers[-2], 16))
            stack = memory.read(STACK_BYTES)
    except (OSError, OverflowError):
        return False
    words = memoryview(stack[: len(stack) // WORD * WORD]).cast("Q")
    return any(word in addresses for word in words for addresses in code)


def _read(path: str) -> bytes:
    try:
        with open(path, "rb", buffering=0) as file:
            return file.readall()
    except OSError:
        return b""
