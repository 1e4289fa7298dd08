"""Namespaces of one's own (namespaces(7)), for any user: user_namespaces(7) tells what makes that possible."""

from __future__ import annotations

import os
import struct

from . import kernel

_SIOCGIFFLAGS, _SIOCSIFFLAGS, _IFF_UP = 0x8913, 0x8914, 1
_ALWAYS = kernel.CLONE_NEWUSER | kernel.CLONE_NEWPID | kernel.CLONE_NEWIPC | kernel.CLONE_NEWUTS


def enter_new(*, network: bool, processes: str | int = "/proc") -> None:
    """Enters new namespaces, as the same user and group; the pid namespace is for the processes that are forked next.

    The mounts stay what they are, until that process makes a namespace for its own (`mounts`).

    Args:
        network: whether the network, too, is to be a new one, without any way out.
        processes: a /proc that can be written to, or its descriptor: user and group are mapped there.

    Raises:
        OSError: the system doesn't allow it, or not all of it.
    """
    user, group = os.geteuid(), os.getegid()
    kernel.unshare(_ALWAYS | (kernel.CLONE_NEWNET if network else 0))
    _map(user, group, processes)


def lock_mounts(processes: int) -> None:
    """Enters a further user and mount namespace, in which no mount of before can be taken away or made writable."""
    user, group = os.geteuid(), os.getegid()
    kernel.unshare(kernel.CLONE_NEWUSER | kernel.CLONE_NEWNS)
    _map(user, group, processes)


def start_loopback() -> None:
    """Brings up the loopback interface (netdevice(7)): programs that talk to themselves need it."""
    import _socket
    import fcntl

    any_socket = _socket.socket(_socket.AF_INET, _socket.SOCK_DGRAM)
    try:
        request = struct.pack("16sH14x", b"lo", 0)
        flags: int = struct.unpack("16sH14x", fcntl.ioctl(any_socket, _SIOCGIFFLAGS, request))[1]
        fcntl.ioctl(any_socket, _SIOCSIFFLAGS, struct.pack("16sH14x", b"lo", flags | _IFF_UP))
    finally:
        any_socket.close()


def _map(user: int, group: int, processes: str | int) -> None:
    folder = processes if isinstance(processes, int) else os.open(processes, os.O_PATH)
    _write("self/setgroups", "deny", folder)
    _write("self/uid_map", f"{user} {user} 1", folder)
    _write("self/gid_map", f"{group} {group} 1", folder)
    if folder != processes:
        os.close(folder)


def _write(path: str, text: str, folder: int) -> None:
    fd = os.open(path, os.O_WRONLY | os.O_CLOEXEC, dir_fd=folder)
    try:
        os.write(fd, text.encode())
    finally:
        os.close(fd)
