"""Tells what kind of a limit an uncaught exception may come from, so that the server can add a word about it.

It is one word of a fixed list: the code could bring any of them about, and nothing else gets into the server's mouth.
"""

from __future__ import annotations

import errno

_BY_NUMBER = {
    errno.EROFS: "files",
    errno.EACCES: "files",
    errno.EPERM: "files",
    errno.ENETUNREACH: "network",
    errno.EHOSTUNREACH: "network",
    errno.EAFNOSUPPORT: "network",
    errno.ENETDOWN: "network",
    errno.ENOSPC: "space",
    errno.EFBIG: "file_size",
    errno.EMFILE: "open_files",
    errno.EAGAIN: "processes",
    errno.ENOMEM: "memory",
}
_LONGEST_CHAIN = 20


def classify(error: BaseException) -> str:
    """One of "files", "network", "space", "file_size", "open_files", "processes", "memory", "stdin", or nothing."""
    seen = 0
    current: BaseException | None = error
    while current is not None and seen < _LONGEST_CHAIN:
        kind = _kind_of(current)
        if kind:
            return kind
        current = current.__cause__ or current.__context__
        seen += 1
    return ""


def _kind_of(error: BaseException) -> str:
    names = {base.__name__ for base in type(error).__mro__}
    if type(error) is EOFError and error.args == ("EOF when reading a line",):
        return "stdin"
    if "MemoryError" in names:
        return "memory"
    if "gaierror" in names:
        return "network"
    if "RuntimeError" in names and "start new thread" in str(error.args[:1]):
        return "processes"
    number = error.errno if isinstance(error, OSError) else None
    return _BY_NUMBER.get(number, "") if isinstance(number, int) else ""
