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

    def store_input(self, text: bytes) -> str:
        """Stores what the code is to read from standard input, for `open_input`; returns the file's path."""
        path = (
            f"{self.path}/.stdin-{os.urandom(4).hex()}"  # in a session, among the code's own files
        )
        with open(path, "xb", buffering=0) as file:
            file.write(text)
        return path

    def remove(self) -> None:
        """Removes the folder with whatever the run left in it."""
        try:
            if os.path.islink(self.path):
                raise NotADirectoryError(self.path)  # the run has put it in the folder's place
            os.unlink(f"{self.path}/{SCRIPT_NAME}")
            os.rmdir(self.path)
        except OSError:
            remove_tree(self.path)  # there is more in it, or less


def open_input(path: str) -> None:
    """Puts a file that `store_input` has stored in the place of standard input; without one, input that is at its end."""
    fd = os.open(
        path or os.devnull, os.O_RDONLY
    )  # one of its own, which a run may make non-blocking
    if path:
        os.unlink(path)
    if fd != 0:
        os.dup2(fd, 0)
        os.close(fd)
    os.set_inheritable(0, True)


def without_coding_cookie(code: bytes) -> bytes:
    """The code so that every reader takes it for UTF-8.

    The code arrives as text, so a declared encoding (PEP 263) is void; but whoever reads the file again, such as
    `linecache`, would believe it. A blank before the colon turns each declaration in the first two lines into an
    ordinary comment.
    """
    code = code.removeprefix(UTF8_BOM)
    end = _end_of_second_line(code)
    head = code[:end]
    if b"coding" not in head:
        return code
    lines = head.splitlines(keepends=True)  # of bytes: at \n, \r and \r\n, as the tokenizer does
    for index, line in enumerate(lines):
        text = line.strip(b" \t\f\r\n")
        if text and not text.startswith(b"#"):
            break  # and what follows is no declaration
        lines[index] = line.replace(b"coding:", b"coding :").replace(b"coding=", b"coding =")
    return b"".join(lines) + code[end:]


def _end_of_second_line(code: bytes) -> int:
    end = 0
    for _ in range(2):
        ends = [at for at in (code.find(b"\n", end), code.find(b"\r", end)) if at >= 0]
        if not ends:
            return len(code)
        end = min(ends) + 1
        if code[end - 1 : end + 1] == b"\r\n":
            end += 1
    return end


def remove_if_empty(path: str) -> None:
    """Removes a folder that nobody else needs; leaves it alone otherwise."""
    try:
        os.rmdir(path)
    except OSError:
        pass


def remove_tree(path: str) -> None:
    """Removes a folder with all that is in it, also what its owner has made read-only, however deep it is.

    Goes from folder to folder by changing into it: paths may be longer than the system takes, and deeper than functions
    may call each other. Nothing else may be writing there.
    """
    if os.path.islink(path) or os.path.isfile(path):
        os.unlink(path)  # never what a link points to
        return
    try:
        os.chdir(path)
    except FileNotFoundError:
        return
    names: list[str] = []
    while True:
        folder = _first_folder_after_removing_files()
        if folder is not None:
            names.append(folder)
            os.chdir(folder)
        elif names:
            os.chdir("..")
            os.rmdir(names.pop())
        else:
            break
    os.chdir("/")
    os.rmdir(path)


def _first_folder_after_removing_files() -> str | None:
    os.chmod(".", 0o700)
    for entry in list(os.scandir(".")):
        if entry.is_dir(follow_symlinks=False):
            os.chmod(entry.name, 0o700)
            return entry.name
        os.unlink(entry.name)
    return None
