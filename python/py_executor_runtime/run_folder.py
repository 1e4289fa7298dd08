"""The private folder of one run: its source file and its temporary files."""

from __future__ import annotations

import os

#: A byte-order mark is harmless: it is not part of the code.
UTF8_BOM = b"\xef\xbb\xbf"


#: No module of this name exists that a script could want to import.
SCRIPT_NAME = "snippet.py"


class RunFolder:
    """A folder that only this user can enter, below the server's own.

    Names are short because multiprocessing makes Unix sockets below it, and a socket's path ends at 104 bytes.
    """

    def __init__(self, root: str) -> None:
        """The folder is there from `create` to `remove`."""
        self.path = f"{root}/{os.urandom(4).hex()}"

    def create(self, code: bytes) -> str:
        """Stores the code as the file that tracebacks, `inspect` and multiprocessing read; returns its path."""
        os.mkdir(self.path, 0o700)
        path = f"{self.path}/{SCRIPT_NAME}"
        fd = os.open(path, os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_CLOEXEC, 0o600)
        with open(fd, "wb", buffering=0) as file:
            file.write(without_coding_cookie(code))
        return path

    def remove(self) -> None:
        """Removes the folder with whatever the run left in it."""
        try:
            os.unlink(f"{self.path}/{SCRIPT_NAME}")
            os.rmdir(self.path)
        except OSError:
            remove_tree(self.path)  # there is more in it, or less


def without_coding_cookie(code: bytes) -> bytes:
    """The code so that every reader takes it for UTF-8.

    The code arrives as text, so a declared encoding (PEP 263) is void; but whoever reads the file again, such as
    `linecache`, would believe it. A blank before the colon turns the declaration into an ordinary comment.
    """
    code = code.removeprefix(UTF8_BOM)
    start = 0
    for _ in range(2):
        end = code.find(b"\n", start) + 1 or len(code)
        line = code[start:end].lstrip(b" \t\f")
        if line.startswith(b"#"):
            for sign in (b":", b"="):
                at = code.find(b"coding" + sign, start, end)
                if at >= 0:
                    return code[: at + 6] + b" " + code[at + 6 :]
        elif line.strip():
            break
        start = end
    return code


def remove_if_empty(path: str) -> None:
    """Removes a folder that nobody else needs; leaves it alone otherwise."""
    try:
        os.rmdir(path)
    except OSError:
        pass


def remove_tree(path: str) -> None:
    """Removes a folder with all that is in it, also what its owner has made read-only."""
    try:
        entries = list(os.scandir(path))
    except FileNotFoundError:
        return
    except PermissionError:
        os.chmod(path, 0o700)
        entries = list(os.scandir(path))
    for entry in entries:
        if entry.is_dir(follow_symlinks=False):
            remove_tree(entry.path)
        else:
            _unlink(entry.path)
    try:
        os.rmdir(path)
    except OSError:
        os.chmod(os.path.dirname(path), 0o700)
        os.rmdir(path)


def _unlink(path: str) -> None:
    try:
        os.unlink(path)
    except PermissionError:  # the folder was made read-only
        os.chmod(os.path.dirname(path), 0o700)
        os.unlink(path)
