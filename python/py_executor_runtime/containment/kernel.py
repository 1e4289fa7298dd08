"""System calls that Python has no function for (syscalls(2)); all raise OSError when they fail.

Numbers are those of x86-64 and AArch64 (unistd.h); most of the newer ones are the same everywhere.
"""

from __future__ import annotations

import ctypes
import os

CLONE_NEWNS = 0x00020000
CLONE_NEWCGROUP = 0x02000000
CLONE_NEWUTS = 0x04000000
CLONE_NEWIPC = 0x08000000
CLONE_NEWUSER = 0x10000000
CLONE_NEWPID = 0x20000000
CLONE_NEWNET = 0x40000000

MS_RDONLY, MS_NOSUID, MS_NODEV, MS_NOEXEC = 1, 2, 4, 8
MS_REC, MS_PRIVATE = 0x4000, 0x40000
MOUNT_ATTR_RDONLY, MOUNT_ATTR_NOSUID, MOUNT_ATTR_NODEV = 1, 2, 4

#: CAP_CHOWN, CAP_DAC_OVERRIDE, CAP_FOWNER (capabilities(7)).
CAPABILITIES_OVER_FILES = (0, 1, 3)
PR_SET_DUMPABLE = 4
PR_CAPBSET_DROP = 24
PR_SET_NO_NEW_PRIVS = 38

_AT_FDCWD = -100
_AT_RECURSIVE = 0x8000
_AT_EMPTY_PATH = 0x1000
_OPEN_TREE_CLONE = 1
_MOVE_MOUNT_F_EMPTY_PATH = 4
_LINUX_CAPABILITY_VERSION_3 = 0x20080522
_LAST_CAPABILITY = 63

_CAPSET = {"x86_64": 126, "aarch64": 91}
_CAPGET = {"x86_64": 125, "aarch64": 90}
_OPEN_TREE, _MOVE_MOUNT, _MOUNT_SETATTR = 428, 429, 442
LANDLOCK_CREATE_RULESET, LANDLOCK_ADD_RULE, LANDLOCK_RESTRICT_SELF = 444, 445, 446

MACHINE = os.uname().machine

_libc = ctypes.CDLL(None, use_errno=True)
_libc.syscall.restype = ctypes.c_long


def call(number: int, *arguments: object) -> int:
    """A system call by its number. Numbers and addresses are passed as longs, buffers as pointers.

    Raises:
        OSError: with the call's errno.
    """
    passed = [ctypes.c_long(value) if isinstance(value, int) else value for value in arguments]
    result: int = _libc.syscall(ctypes.c_long(number), *passed)
    if result < 0:
        _fail(f"system call {number}")
    return result


def unshare(flags: int) -> None:
    """unshare(2)."""
    if _libc.unshare(flags) != 0:
        _fail("unshare")


def mount(source: str, target: str, kind: str, flags: int, options: str = "") -> None:
    """mount(2)."""
    if _libc.mount(source.encode(), os.fsencode(target), kind.encode(), flags, options.encode()):
        _fail(f"mount {kind} on {target}")


def unmount(path: str) -> None:
    """Takes away what is mounted at a path (umount2(2))."""
    if _libc.umount2(os.fsencode(path), 0) != 0:
        _fail(f"umount {path}")


def clone_tree(path: str) -> int:
    """A descriptor of a detached copy of what is mounted at a path, with all below it (open_tree(2), Linux 5.2)."""
    flags = _OPEN_TREE_CLONE | os.O_CLOEXEC | _AT_RECURSIVE
    return call(_OPEN_TREE, _AT_FDCWD, os.fsencode(path), flags)


def attach_tree(tree: int, path: str) -> None:
    """Mounts what `clone_tree` gave, and closes the descriptor (move_mount(2))."""
    try:
        call(_MOVE_MOUNT, tree, b"", _AT_FDCWD, os.fsencode(path), _MOVE_MOUNT_F_EMPTY_PATH)
    finally:
        os.close(tree)


class _MountAttr(ctypes.Structure):
    _fields_ = [
        ("attr_set", ctypes.c_uint64),
        ("attr_clr", ctypes.c_uint64),
        ("propagation", ctypes.c_uint64),
        ("userns_fd", ctypes.c_uint64),
    ]


def set_mount_attributes(where: int | str, attributes: int, *, recursive: bool = True) -> None:
    """Adds attributes to a mount and all below it (mount_setattr(2), Linux 5.12).

    Args:
        where: a path, or a descriptor from `clone_tree`.
        attributes: MOUNT_ATTR_… flags.
        recursive: whether what is mounted below gets them too.
    """
    request = _MountAttr(attributes, 0, 0, 0)
    fd, path = (where, b"") if isinstance(where, int) else (_AT_FDCWD, os.fsencode(where))
    flags = (_AT_RECURSIVE if recursive else 0) | (_AT_EMPTY_PATH if isinstance(where, int) else 0)
    call(_MOUNT_SETATTR, fd, path, flags, ctypes.byref(request), ctypes.sizeof(request))


def prctl(option: int, *arguments: int) -> None:
    """prctl(2)."""
    passed = [ctypes.c_ulong(value) for value in (*arguments, 0, 0, 0, 0)[:4]]
    if _libc.prctl(option, *passed) < 0:
        _fail(f"prctl {option}")


_IPC_INFO_BYTES = 128
_MSG_INFO, _SHM_INFO, _SEM_INFO = 12, 14, 19


def count_ipc() -> tuple[int, int, int]:
    """Message queues, shared memory segments and semaphore sets of this namespace (MSG_INFO in msgctl(2), and so on)."""
    info = (ctypes.c_int * (_IPC_INFO_BYTES // 4))()
    address = ctypes.byref(info)
    _libc.msgctl(0, _MSG_INFO, address)
    queues = info[0]  # msgpool
    _libc.shmctl(0, _SHM_INFO, address)
    segments = info[0]  # used_ids
    _libc.semctl(0, 0, _SEM_INFO, address)
    return queues, segments, info[7]  # semusz


def drop_capabilities(keep: tuple[int, ...] = ()) -> None:
    """Gives up all capabilities but some, also those that a program could gain (capabilities(7))."""
    for capability in range(_LAST_CAPABILITY + 1):
        if capability in keep:
            continue
        try:
            prctl(PR_CAPBSET_DROP, capability)
        except OSError:
            break  # beyond the last one that this kernel has, or none of them is ours to drop
    if MACHINE not in _CAPSET:
        raise OSError(f"capset is not known for {MACHINE}")
    header = (ctypes.c_uint32 * 2)(_LINUX_CAPABILITY_VERSION_3, 0)
    sets = (
        ctypes.c_uint32 * 6
    )()  # effective, permitted and inheritable ones, first those below 32
    call(_CAPGET[MACHINE], header, sets)
    kept = sets[1] & sum(1 << capability for capability in keep)
    call(_CAPSET[MACHINE], header, (ctypes.c_uint32 * 6)(kept, kept, 0, 0, 0, 0))


def _fail(what: str) -> None:
    errno = ctypes.get_errno()
    raise OSError(errno, f"{what}: {os.strerror(errno)}")
