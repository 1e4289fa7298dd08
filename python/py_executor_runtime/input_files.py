"""Files that a caller sends along: they are there when the code begins."""

from __future__ import annotations

import os

from . import wire

#: The longest name that is repeated in an error.
_SHOWN = 200


def write(packed: bytes) -> None:
    """Writes files below the current directory, in the place of what may be there; folders are made.

    Each appears whole or not at all: others that run here may be reading it. Nothing is written through a link.

    Args:
        packed: fields (see `wire`): relative paths without `..`, which the server has checked, and contents.

    Raises:
        OSError: one can't be written; the message names it.
    """
    for name, content in wire.unpack_fields(packed).items():
        try:
            _write_one(name, content)
        except OSError as error:
            raise OSError(f"the file {name[:_SHOWN]!r} could not be written: {error}") from error


def _write_one(name: str, content: bytes) -> None:
    folder, _, last = name.rpartition("/")
    parent = os.open(".", os.O_RDONLY | os.O_DIRECTORY | os.O_CLOEXEC)
    try:
        for part in folder.split("/") if folder else ():
            parent = _enter(parent, part)
        temporary = f".{os.urandom(6).hex()}.tmp"
        flags = os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_NOFOLLOW | os.O_CLOEXEC
        fd = os.open(temporary, flags, 0o644, dir_fd=parent)
        try:
            try:
                wire.write_all(fd, content)
            finally:
                os.close(fd)
            os.rename(temporary, last, src_dir_fd=parent, dst_dir_fd=parent)
        except OSError:
            os.unlink(temporary, dir_fd=parent)
            raise
    finally:
        os.close(parent)


def _enter(parent: int, name: str) -> int:
    """The folder of that name, which is made if need be; closes the one that it is in."""
    try:
        os.mkdir(name, 0o755, dir_fd=parent)
    except FileExistsError:
        pass
    flags = os.O_RDONLY | os.O_DIRECTORY | os.O_NOFOLLOW | os.O_CLOEXEC
    inner = os.open(name, flags, dir_fd=parent)
    os.close(parent)
    return inner
