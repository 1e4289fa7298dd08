"""Runs a program where no user namespaces can be made, as on systems that forbid them: `no-namespaces.py PROGRAM ARGUMENTS…`.

A filter (seccomp(2)) has clone(2) and unshare(2) fail for CLONE_NEWUSER, as AppArmor, sysctls and containers do.
"""

from __future__ import annotations

import ctypes
import errno
import os
import platform
import struct
import sys

NUMBERS = {
    # architecture as seccomp_data has it, then seccomp, clone, unshare
    "x86_64": (0xC000003E, 317, 56, 272),
    "aarch64": (0xC00000B7, 277, 220, 97),
}
CLONE3 = 435
CLONE_NEWUSER = 0x10000000
PR_SET_NO_NEW_PRIVS = 38
LOAD, JUMP_IF_EQUAL, JUMP_IF_SET, RETURN = 0x20, 0x15, 0x45, 0x06
ALLOW, FAIL = 0x7FFF0000, 0x00050000


class Program(ctypes.Structure):
    """struct sock_fprog."""

    _fields_ = [("length", ctypes.c_ushort), ("filter", ctypes.c_char_p)]


def step(code: int, constant: int, if_true: int = 0, if_false: int = 0) -> bytes:
    """An instruction of classic BPF."""
    return struct.pack("=HBBI", code, if_true, if_false, constant)


def main(command: list[str]) -> None:
    """Installs the filter and becomes the program."""
    architecture, seccomp, clone, unshare = NUMBERS[platform.machine()]
    code = b"".join(
        [
            step(LOAD, 4),
            step(JUMP_IF_EQUAL, architecture, 0, 8),
            step(LOAD, 0),
            step(JUMP_IF_EQUAL, CLONE3, 5, 0),
            step(JUMP_IF_EQUAL, clone, 1, 0),
            step(JUMP_IF_EQUAL, unshare, 0, 4),
            step(LOAD, 16),
            step(JUMP_IF_SET, CLONE_NEWUSER, 0, 2),
            step(RETURN, FAIL | errno.EPERM),
            step(RETURN, FAIL | errno.ENOSYS),  # its flags are in memory, where no filter can look
            step(RETURN, ALLOW),
        ]
    )
    libc = ctypes.CDLL(None, use_errno=True)
    if os.geteuid() != 0:
        libc.prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0)
    program = Program(len(code) // 8, code)
    if libc.syscall(seccomp, 1, 0, ctypes.byref(program)) != 0:
        sys.exit(f"no filter: {os.strerror(ctypes.get_errno())}")
    os.execvp(command[0], command)


main(sys.argv[1:])
