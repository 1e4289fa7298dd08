"""Standard input of a session: each cell has its own."""

from __future__ import annotations

import sys
from _io import open as open_file  # as it is before a cell can replace it

from .run_folder import open_input

_is_used = False


def put(path: str) -> None:
    """Makes what a file holds the standard input of the next cell; without a path, it is at its end.

    Args:
        path: see `run_folder.open_input`.
    """
    global _is_used
    if not path and not _is_used:
        return
    open_input(path)
    _is_used = bool(path)
    before = sys.__stdin__
    if before is None:
        return
    # what the last cell left unread lies in the buffer of the object that it read by
    fresh = open_file(0, encoding=before.encoding, errors=before.errors, closefd=False)
    if sys.stdin is before:
        sys.stdin = fresh
    sys.__stdin__ = fresh
