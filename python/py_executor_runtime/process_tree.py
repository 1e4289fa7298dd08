"""Ending everything that a run started, and knowing that it is over."""

from __future__ import annotations

import os
import sys
import time

from . import libc

SIGKILL = 9
#: A process in uninterruptible sleep outlives SIGKILL for as long as its system call takes.
KILL_PATIENCE_SECONDS = 5.0
#: How long multiprocessing's own clean-up may take after a run, and what shows it in a command line.
TRACKER_SECONDS = 1.0
TRACKER = b"multiprocessing.resource_tracker"

#: Where processes can't be listed, a run's process group is all there is to go by (proc(5), CONFIG_PROC_CHILDREN).
CAN_LIST_CHILDREN = os.path.exists(f"/proc/{os.getpid()}/task/{os.getpid()}/children")
_is_fenced = False
_is_linux = sys.platform.startswith("linux")


def adopt_orphans() -> bool:
    """Makes this process the one to which orphaned descendants are given (prctl(2), PR_SET_CHILD_SUBREAPER).

    Without it a daemon that forks twice would leave the tree and could not be found again.
    """
    return libc.prctl(libc.PR_SET_CHILD_SUBREAPER, 1)


def die_with_parent(parent: int) -> None:
    """Has the kernel kill this process when its parent, `parent`, ends (prctl(2), PR_SET_PDEATHSIG)."""
    libc.prctl(libc.PR_SET_PDEATHSIG, SIGKILL)
    if os.getppid() != parent:  # it ended before the request took effect
        os._exit(0)


def close_strangers(highest_own: int) -> None:
    """Closes descriptors that the server was started with and has handed on unknowingly: no run may see them."""
    for fd in sorted(int(name) for name in os.listdir("/dev/fd")):
        if fd > highest_own:
            try:
                os.close(fd)
            except OSError:
                pass  # the one that the folder was listed through


def is_alive(pid: int) -> bool:
    """Whether a process runs; one that has ended and waits to be reaped does not (proc(5), /proc/pid/stat)."""
    try:
        os.kill(pid, 0)
    except ProcessLookupError:
        return False
    except PermissionError:
        pass
    return read(f"/proc/{pid}/stat").rpartition(b")")[2].split()[:1] != [b"Z"]


def rely_on_fence() -> None:
    """To be called when all that this process may signal are its descendants: from then on one call ends them all, and they
    can't multiply faster than they are killed (kill(2))."""
    global _is_fenced
    _is_fenced = True


def is_init() -> bool:
    """Whether this is the init process of a pid namespace: all others in it are its to end (pid_namespaces(7))."""
    return os.getpid() == 1


def children() -> list[int]:
    """Process ids of this process's own children, zombies included; it has one thread."""
    pid = os.getpid()
    return [int(child) for child in read(f"/proc/{pid}/task/{pid}/children").split()]


def end_only_child(pid: int) -> bool:
    """Ends and reaps a child that is about to end anyway; returns whether there is no other child."""
    kill(pid)
    try:
        os.waitpid(pid, 0)
        os.waitpid(-1, os.WNOHANG)
    except ChildProcessError:
        return True
    return False


def kill_all(group: int = 0) -> bool:
    """Kills every descendant, however it is related, and reaps what is ours.

    Killing goes round until nothing is left: a process may fork between being seen and being killed, but each of its
    children is handed to us at the latest when it dies. Only multiprocessing's resource tracker is given a moment: it
    ends when all that use it have ended, and first removes the shared memory and semaphores that they left behind.

    Args:
        group: the process group of the run: all there is to go by where processes can't be listed.

    Returns:
        Whether all are gone; False after KILL_PATIENCE_SECONDS.
    """
    if group and not CAN_LIST_CHILDREN:
        _kill_group(group)
    now = time.monotonic()
    give_up_at, spare_until = now + KILL_PATIENCE_SECONDS, now + TRACKER_SECONDS
    pause = 0.0002
    while True:
        is_sparing = time.monotonic() < spare_until
        if is_init() or _is_fenced:
            _kill_others()
        else:
            for pid in descendants():
                if not (is_sparing and TRACKER in read(f"/proc/{pid}/cmdline")):
                    kill(pid)
        if not _reap():
            return True
        if time.monotonic() > give_up_at:
            return False
        time.sleep(pause)
        pause = min(2 * pause, 0.005)


def kill_tree(root: int) -> list[int]:
    """Kills a process and all below it; returns what was below it."""
    below = descendants_of(root)
    for pid in (root, *below):
        kill(pid)
    return below


def wait_until_gone(pids: list[int], seconds: float) -> None:
    """Waits until none of these runs any more, but not longer than that: one that was killed needs a moment to end."""
    give_up_at = time.monotonic() + seconds
    while any(is_alive(pid) for pid in pids) and time.monotonic() < give_up_at:
        time.sleep(0.0005)


def descendants_of(root: int) -> list[int]:
    """A process's children, their children, and so on."""
    found = _children_of(root)
    for pid in found:  # grows while it is walked
        found.extend(_children_of(pid))
    return found


def kill(pid: int) -> None:
    """Kills a process that may be gone."""
    send_signal(pid, SIGKILL)


def send_signal(pid: int, number: int) -> None:
    """Sends a signal to a process that may be gone (kill(2)); never to a group, which 0 and negative numbers mean."""
    if pid <= 1:
        return
    try:
        os.kill(pid, number)
    except (ProcessLookupError, PermissionError):
        pass


def exit_descriptor(pid: int) -> int | None:
    """A descriptor that becomes readable when the process ends (pidfd_open(2), Linux 5.3), or None."""
    try:
        return os.pidfd_open(pid)
    except (AttributeError, OSError):
        return None


def memory_of(pid: int) -> int:
    """Memory that a process holds, what it shares counted in parts, in bytes (proc(5), smaps_rollup: Pss)."""
    for line in read(f"/proc/{pid}/smaps_rollup").splitlines():
        if line.startswith(b"Pss:"):
            return int(line.split()[1]) * 1024
    return 0


def bytes_written(pid: int) -> int:
    """What a process, and those of its children that it has waited for, have written to files that are on a disk (proc(5),
    /proc/pid/io: write_bytes); -1 where that can't be told."""
    for line in read(f"/proc/{pid}/io").splitlines():
        if line.startswith(b"write_bytes:"):
            return int(line.split()[1])
    return -1


def kill_orphans(known: set[int]) -> None:
    """Kills children that this process has not started itself, with all below them."""
    orphans = [pid for pid in children() if pid not in known]
    for pid in orphans:  # grows while it is walked
        orphans.extend(_children_of(pid))
        kill(pid)


def wait_for_children(seconds: float) -> None:
    """Waits until no child is left, but not longer than that."""
    give_up_at = time.monotonic() + seconds
    while _reap() and time.monotonic() < give_up_at:
        time.sleep(0.002)


def _kill_others() -> None:
    """Kills all other processes of the pid namespace, at once: none of them can fork meanwhile (kill(2))."""
    try:
        os.kill(-1, SIGKILL)
    except ProcessLookupError:
        pass


def _kill_group(leader: int) -> None:
    try:
        os.killpg(leader, SIGKILL)
    except (ProcessLookupError, PermissionError):
        pass


def _reap() -> bool:
    """Reaps all children that have ended; returns whether any child is left."""
    try:
        while True:
            pid, _ = os.waitpid(-1, os.WNOHANG)
            if pid == 0:
                return True
    except ChildProcessError:
        return False


def descendants(enough: int = sys.maxsize) -> list[int]:
    """Children of this process, their children, and so on; not all of them if there are more than `enough`."""
    found = children()
    for pid in found:  # grows while it is walked
        if len(found) > enough:
            break
        found.extend(_children_of(pid))
    return found


def _children_of(pid: int) -> list[int]:
    """Children of all threads of a process (proc(5), /proc/pid/task/tid/children)."""
    found: list[int] = []
    try:
        threads = os.listdir(f"/proc/{pid}/task")
    except OSError:
        return found
    for thread in threads:
        found.extend(int(child) for child in read(f"/proc/{pid}/task/{thread}/children").split())
    return found


def read(path: str) -> bytes:
    """What is in a file of proc(5); nothing if it is gone."""
    try:
        fd = os.open(path, os.O_RDONLY | os.O_CLOEXEC)
    except OSError:
        return b""
    try:
        parts: list[bytes] = []
        while part := os.read(fd, 65536):
            parts.append(part)
        return b"".join(parts)
    except OSError:
        return b""
    finally:
        os.close(fd)
