"""A filter of system calls that no Python program of this kind needs, each of them a way to the kernel's less trodden parts.

A list of what is denied, not of what is allowed: an allow list that is short by one call breaks glibc or numpy in ways
that nobody can explain. What is denied fails with EPERM, as it does for lack of privileges, so that programs know how to go on.
Filters are described in seccomp(2) and in the kernel's Documentation/userspace-api/seccomp_filter.rst.
"""

from __future__ import annotations

import ctypes
import errno
import struct

from . import kernel

_SECCOMP = {"x86_64": 317, "aarch64": 277}
_SECCOMP_SET_MODE_FILTER = 1
#: Without it old kernels slow down every process that has a filter (speculative store bypass).
_SECCOMP_FILTER_FLAG_SPEC_ALLOW = 4

_AUDIT_ARCH = {"x86_64": 0xC000003E, "aarch64": 0xC00000B7}
_X32_BIT = 0x40000000

# Instructions of classic BPF: code, jump if true, jump if false, constant.
_LOAD, _JUMP_IF_EQUAL, _JUMP_IF_SET, _JUMP_IF_AT_LEAST, _RETURN = 0x20, 0x15, 0x45, 0x35, 0x06
_ALLOW = 0x7FFF0000
_FAIL = 0x00050000
_NUMBER_AT, _ARCHITECTURE_AT, _ARGUMENTS_AT = 0, 4, 16

_NEW_NAMESPACES = (
    kernel.CLONE_NEWNS
    | kernel.CLONE_NEWCGROUP
    | kernel.CLONE_NEWUTS
    | kernel.CLONE_NEWIPC
    | kernel.CLONE_NEWUSER
    | kernel.CLONE_NEWPID
    | kernel.CLONE_NEWNET
)
_AF_UNIX, _AF_INET, _AF_INET6, _AF_NETLINK = 1, 2, 10, 16
_NETLINK_ROUTE = 0
#: ioctl(2) requests that put characters into a terminal as if they had been typed there.
_TIOCSTI, _TIOCLINUX = 0x5412, 0x541C

#: Names and numbers on x86-64 and AArch64; None where there is no such call.
_DENIED: tuple[tuple[str, int | None, int | None], ...] = (
    ("ptrace", 101, 117),
    ("process_vm_readv", 310, 270),
    ("process_vm_writev", 311, 271),
    ("process_madvise", 440, 440),
    ("process_mrelease", 448, 448),
    ("pidfd_getfd", 438, 438),
    ("kcmp", 312, 272),
    ("add_key", 248, 217),
    ("request_key", 249, 218),
    ("keyctl", 250, 219),
    ("bpf", 321, 280),
    ("perf_event_open", 298, 241),
    ("userfaultfd", 323, 282),
    ("io_uring_setup", 425, 425),
    ("io_uring_enter", 426, 426),
    ("io_uring_register", 427, 427),
    ("mount", 165, 40),
    ("umount2", 166, 39),
    ("pivot_root", 155, 41),
    ("chroot", 161, 51),
    ("open_tree", 428, 428),
    ("open_tree_attr", 467, 467),
    ("move_mount", 429, 429),
    ("fsopen", 430, 430),
    ("fsconfig", 431, 431),
    ("fsmount", 432, 432),
    ("fspick", 433, 433),
    ("mount_setattr", 442, 442),
    ("setns", 308, 268),
    ("open_by_handle_at", 304, 265),
    ("name_to_handle_at", 303, 264),
    ("fanotify_init", 300, 262),
    ("init_module", 175, 105),
    ("finit_module", 313, 273),
    ("delete_module", 176, 106),
    ("kexec_load", 246, 104),
    ("kexec_file_load", 320, 294),
    ("reboot", 169, 142),
    ("swapon", 167, 224),
    ("swapoff", 168, 225),
    ("acct", 163, 89),
    ("quotactl", 179, 60),
    ("quotactl_fd", 443, 443),
    ("sethostname", 170, 161),
    ("setdomainname", 171, 162),
    ("settimeofday", 164, 170),
    ("clock_settime", 227, 112),
    ("adjtimex", 159, 171),
    ("clock_adjtime", 305, 266),
    ("syslog", 103, 116),
    ("vhangup", 153, 58),
    ("lookup_dcookie", 212, 18),
    ("nfsservctl", 180, 42),
    ("iopl", 172, None),
    ("ioperm", 173, None),
    ("modify_ldt", 154, None),
    ("uselib", 134, None),
    ("ustat", 136, None),
    ("sysfs", 139, None),
    # these would stay behind for the next run, their memory is counted nowhere, and nothing in Python's library makes one
    ("mq_open", 240, 180),
    ("mq_unlink", 241, 181),
    ("shmget", 29, 194),
    ("shmat", 30, 196),
    ("shmctl", 31, 195),
    ("semget", 64, 190),
    ("semop", 65, 193),
    ("semtimedop", 220, 192),
    ("semctl", 66, 191),
    ("msgget", 68, 186),
    ("msgsnd", 69, 189),
    ("msgrcv", 70, 188),
    ("msgctl", 71, 187),
    ("memfd_create", 319, 279),
    ("memfd_secret", 447, 447),
)
#: Calls that change how a process is scheduled or bounded, and what their arguments must be, by index, to mean the calling
#: process itself: the one that supervises a run is of the same user, and goes on with the next run.
_ON_ITSELF_ONLY: tuple[tuple[str, int, int, dict[int, int]], ...] = (
    ("setpriority", 141, 140, {0: 0, 1: 0}),
    ("ioprio_set", 251, 30, {0: 1, 1: 0}),
    ("prlimit64", 302, 261, {0: 0}),
    ("sched_setscheduler", 144, 119, {0: 0}),
    ("sched_setparam", 142, 118, {0: 0}),
    ("sched_setattr", 314, 274, {0: 0}),
)
#: The same, but libraries name single threads in it.
_SCHED_SETAFFINITY = {"x86_64": 203, "aarch64": 122}
#: Calls that can make a file which gives its owner's rights to whoever starts it, and which argument says so.
_MODES: tuple[tuple[str, int | None, int | None, int], ...] = (
    ("chmod", 90, None, 1),
    ("fchmod", 91, 52, 1),
    ("fchmodat", 268, 53, 2),
    ("fchmodat2", 452, 452, 2),
    ("mknod", 133, None, 1),
    ("mknodat", 259, 33, 2),
    ("creat", 85, None, 1),
)
#: Those that do so if they make a file: numbers, and the indexes of flags and mode.
_OPENS: tuple[tuple[str, int | None, int | None, int, int], ...] = (
    ("open", 2, None, 1, 2),
    ("openat", 257, 56, 2, 3),
)
_OPENAT2 = 437
_O_CREAT, _O_TMPFILE = 0o100, 0o20000000
_S_ISUID = 0o4000
#: What a template needs to make places for runs, and a run does not.
_FOR_NAMESPACES = frozenset(("mount", "umount2", "open_tree", "move_mount", "mount_setattr"))
_CLONE = {"x86_64": 56, "aarch64": 220}
_CLONE3 = 435
_UNSHARE = {"x86_64": 272, "aarch64": 97}
_SOCKET = {"x86_64": 41, "aarch64": 198}
_IOCTL = {"x86_64": 16, "aarch64": 29}


class _Program(ctypes.Structure):
    _fields_ = [("length", ctypes.c_ushort), ("filter", ctypes.c_char_p)]


def apply(*, namespaces: bool, families: tuple[int, ...], is_apart: bool = True) -> None:
    """Installs the filter in this process and all that it will start; there is no way back.

    Args:
        namespaces: whether new namespaces and mounts may be made, as a template must.
        families: socket families (socket(2)) that may be used besides AF_NETLINK for routes.
        is_apart: whether there are no processes but those of one run in this pid namespace.

    Raises:
        OSError: the kernel has no filters, or not for this architecture.
    """
    if kernel.MACHINE not in _AUDIT_ARCH:
        raise OSError(errno.ENOSYS, f"no filter for {kernel.MACHINE}")
    code = program(kernel.MACHINE, namespaces=namespaces, families=families, is_apart=is_apart)
    request = _Program(len(code) // 8, code)
    kernel.call(
        _SECCOMP[kernel.MACHINE],
        _SECCOMP_SET_MODE_FILTER,
        _SECCOMP_FILTER_FLAG_SPEC_ALLOW,
        ctypes.byref(request),
    )


#: Families that a run may use in a network namespace of its own, those where it may use the machine's, and those where it
#: has none: sockets of others in the file system are out of reach only where nobody connects to any.
NETWORK_FAMILIES = (_AF_UNIX, _AF_INET, _AF_INET6)
INTERNET_FAMILIES = (_AF_INET, _AF_INET6)
NO_FAMILIES: tuple[int, ...] = ()


def program(
    machine: str, *, namespaces: bool, families: tuple[int, ...], is_apart: bool = True
) -> bytes:
    """The filter as code for the kernel: an array of `struct sock_filter`."""
    column = 1 if machine == "x86_64" else 2
    code = [
        _instruction(_LOAD, _ARCHITECTURE_AT),
        # another architecture's calls, such as those of 32-bit programs, have numbers of their own
        _instruction(_JUMP_IF_EQUAL, _AUDIT_ARCH[machine], 1, 0),
        _fail(errno.EPERM),
        _instruction(_LOAD, _NUMBER_AT),
    ]
    if machine == "x86_64":
        code += [_instruction(_JUMP_IF_AT_LEAST, _X32_BIT, 0, 1), _fail(errno.EPERM)]
    unseen = (_OPENAT2,) if namespaces else (_OPENAT2, _CLONE3)
    for number in unseen:  # their arguments are in memory, where a filter can't look
        code += [_instruction(_JUMP_IF_EQUAL, number, 0, 1), _fail(errno.ENOSYS)]
    for row in _DENIED:
        number = row[column]
        if isinstance(number, int) and not (namespaces and row[0] in _FOR_NAMESPACES):
            code += [_instruction(_JUMP_IF_EQUAL, number, 0, 1), _fail(errno.EPERM)]
    if not namespaces:
        for number in (_CLONE[machine], _UNSHARE[machine]):
            code += _if_number(number, _deny_if_set(0, _NEW_NAMESPACES))
    if not is_apart:
        code += _if_number(_SCHED_SETAFFINITY[machine], _deny_unless({0: 0}))
    for _, *numbers, values in _ON_ITSELF_ONLY:
        code += _if_number(numbers[column - 1], _deny_unless(values))
    for row in _MODES:
        number = row[column]
        if isinstance(number, int):
            code += _if_number(number, _deny_if_set(row[3], _S_ISUID))
    for row in _OPENS:
        number = row[column]
        if isinstance(number, int):
            code += _if_number(number, _deny_new_if_set(row[3], row[4], _S_ISUID))
    code += _if_number(_IOCTL[machine], _deny_if_equal(1, (_TIOCSTI, _TIOCLINUX)))
    code += _if_number(_SOCKET[machine], _socket_rules(families))
    code.append(_instruction(_RETURN, _ALLOW))
    return b"".join(code)


def _instruction(code: int, constant: int, if_true: int = 0, if_false: int = 0) -> bytes:
    return struct.pack("=HBBI", code, if_true, if_false, constant)


def _fail(number: int) -> bytes:
    return _instruction(_RETURN, _FAIL | number)


def _load_argument(index: int) -> bytes:
    return _instruction(
        _LOAD, _ARGUMENTS_AT + 8 * index
    )  # its lower half: both machines are little-endian


def _if_number(number: int, body: list[bytes]) -> list[bytes]:
    """Code that is skipped for other calls; it ends by allowing the call."""
    body = [*body, _instruction(_RETURN, _ALLOW)]
    return [_instruction(_JUMP_IF_EQUAL, number, 0, len(body)), *body]


def _deny_if_set(index: int, bits: int) -> list[bytes]:
    return [_load_argument(index), _instruction(_JUMP_IF_SET, bits, 0, 1), _fail(errno.EPERM)]


def _deny_new_if_set(flags: int, mode: int, bits: int) -> list[bytes]:
    """For calls that open files: `mode` counts where one is made."""
    return [
        _load_argument(flags),
        _instruction(_JUMP_IF_SET, _O_CREAT | _O_TMPFILE, 0, 3),
        *_deny_if_set(mode, bits),
    ]


def _deny_unless(values: dict[int, int]) -> list[bytes]:
    code: list[bytes] = []
    for index, value in values.items():
        code += [
            _load_argument(index),
            _instruction(_JUMP_IF_EQUAL, value, 1, 0),
            _fail(errno.EPERM),
        ]
    return code


def _deny_if_equal(index: int, values: tuple[int, ...]) -> list[bytes]:
    code = [_load_argument(index)]
    for value in values:
        code += [_instruction(_JUMP_IF_EQUAL, value, 0, 1), _fail(errno.EPERM)]
    return code


def _socket_rules(families: tuple[int, ...]) -> list[bytes]:
    allowed = [
        part
        for family in families
        for part in (_instruction(_JUMP_IF_EQUAL, family, 0, 1), _instruction(_RETURN, _ALLOW))
    ]
    routes = [
        _instruction(_JUMP_IF_EQUAL, _AF_NETLINK, 0, 3),
        _load_argument(2),
        _instruction(_JUMP_IF_EQUAL, _NETLINK_ROUTE, 0, 1),
        _instruction(_RETURN, _ALLOW),
    ]
    return [_load_argument(0), *allowed, *(routes if families else []), _fail(errno.EAFNOSUPPORT)]
