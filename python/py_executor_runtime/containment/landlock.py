"""Landlock: rules on files that hold however a path is spelled, and fences around signals and abstract sockets.

It needs no privileges and can't be taken off. Rules are tied to the files themselves, so that what is put in a file's
place later is not covered by them, and denied. See landlock(7) and the kernel's Documentation/userspace-api/landlock.rst.
"""

from __future__ import annotations

import ctypes
import os
import stat

from . import kernel

_CREATE_RULESET_VERSION = 1
_RULE_PATH_BENEATH = 1

_EXECUTE, _WRITE_FILE, _READ_FILE, _READ_DIR = 1 << 0, 1 << 1, 1 << 2, 1 << 3
_REMOVE_DIR, _REMOVE_FILE = 1 << 4, 1 << 5
_MAKE_CHAR, _MAKE_DIR, _MAKE_REG, _MAKE_SOCK, _MAKE_FIFO, _MAKE_BLOCK, _MAKE_SYM = (
    1 << bit for bit in range(6, 13)
)
_REFER, _TRUNCATE, _IOCTL_DEV = 1 << 13, 1 << 14, 1 << 15
#: Connecting to Unix sockets that were made by processes which are not under these rules; never granted.
_RESOLVE_UNIX = 1 << 16
_SCOPE_ABSTRACT_UNIX_SOCKET, _SCOPE_SIGNAL = 1, 2
#: The version that has them.
SCOPED = 6

READ = _EXECUTE | _READ_FILE | _READ_DIR
LIST = _READ_DIR
DEVICE = _READ_FILE | _WRITE_FILE | _TRUNCATE | _IOCTL_DEV
WRITE = (
    READ
    | _WRITE_FILE
    | _TRUNCATE
    | _REMOVE_DIR
    | _REMOVE_FILE
    | _MAKE_DIR
    | _MAKE_REG
    | _MAKE_SOCK
    | _MAKE_FIFO
    | _MAKE_SYM
    | _REFER
)
#: Rights that a rule on something else than a folder may grant.
_OF_FILES = _EXECUTE | _WRITE_FILE | _READ_FILE | _TRUNCATE | _IOCTL_DEV
_ALL = WRITE | DEVICE | _MAKE_CHAR | _MAKE_BLOCK | _RESOLVE_UNIX
#: What each version of the interface brought (ABI 1: all below bit 13).
_SINCE = {_REFER: 2, _TRUNCATE: 3, _IOCTL_DEV: 5, _RESOLVE_UNIX: 9}


def version() -> int:
    """The version of the interface (ABI); 0 where there is none."""
    try:
        return kernel.call(kernel.LANDLOCK_CREATE_RULESET, 0, 0, _CREATE_RULESET_VERSION)
    except OSError:
        return 0


class _RulesetAttr(ctypes.Structure):
    _fields_ = [
        ("handled_access_fs", ctypes.c_uint64),
        ("handled_access_net", ctypes.c_uint64),
        ("scoped", ctypes.c_uint64),
    ]


class _PathBeneath(ctypes.Structure):
    _pack_ = 1
    _layout_ = "ms"
    _fields_ = [("allowed_access", ctypes.c_uint64), ("parent_fd", ctypes.c_int32)]


class Ruleset:
    """Rules that are being collected; `enforce` puts them into force."""

    def __init__(self, abi: int, *, files: bool = True, scopes: bool = True) -> None:
        """Begins with nothing allowed.

        Args:
            abi: what `version` gave; not 0.
            files: whether files are ruled at all.
            scopes: whether signals and abstract sockets are kept within the processes that are under these rules, where
                the kernel can do that (ABI 6).
        """
        self._handled = _known_to(abi, _ALL) if files else 0
        fences = _SCOPE_ABSTRACT_UNIX_SOCKET | _SCOPE_SIGNAL if scopes and abi >= SCOPED else 0
        attr = _RulesetAttr(self._handled, 0, fences)
        size = 24 if abi >= SCOPED else 16 if abi >= 4 else 8
        self._fd = kernel.call(kernel.LANDLOCK_CREATE_RULESET, ctypes.byref(attr), size, 0)

    def allow(self, path: str, access: int) -> None:
        """Allows what is named at a path and below it; a path that isn't there is left out."""
        try:
            fd = os.open(path, os.O_PATH | os.O_CLOEXEC)
        except OSError:
            return
        try:
            if not stat.S_ISDIR(os.fstat(fd).st_mode):
                access &= _OF_FILES
            rule = _PathBeneath(access & self._handled, fd)
            if rule.allowed_access:
                kernel.call(
                    kernel.LANDLOCK_ADD_RULE, self._fd, _RULE_PATH_BENEATH, ctypes.byref(rule), 0
                )
        finally:
            os.close(fd)

    def enforce(self) -> None:
        """Puts the rules into force for this process and all that it will start; needs no_new_privs."""
        kernel.call(kernel.LANDLOCK_RESTRICT_SELF, self._fd, 0)
        os.close(self._fd)


def fence() -> bool:
    """Keeps this process and all that it will start from signalling any other, where the kernel can do that (ABI 6).

    Returns:
        Whether it does: its parent may not even be asked for.
    """
    abi = version()
    if abi < SCOPED:
        return False
    Ruleset(abi, files=False).enforce()
    return is_fenced()


def is_fenced() -> bool:
    """Whether this process may not signal its parent."""
    try:
        os.kill(os.getppid(), 0)
    except PermissionError:
        return True
    return False


def _known_to(abi: int, access: int) -> int:
    for right, since in _SINCE.items():
        if abi < since:
            access &= ~right
    return access
