"""What an interpreter of the server's is started with. It comes through standard input, where nobody else can see it."""

from __future__ import annotations

import os

from . import wire

STDIN = 0
F_SETPIPE_SZ = 1031


class Terms:
    """The fields that the server sends (`src/workers/interpreter-process.ts`), packed as in a frame.

    Attributes:
        root: the server's private folder.
        folder: what of it belongs to this interpreter and what it forks; nothing else in there is theirs.
        server: the server's process id.
        spec: what to confine runs to (see `containment.spec`), as JSON; empty for nothing.
    """

    def __init__(self, root: str, folder: str, server: int, spec: str) -> None:
        self.root = root
        self.folder = folder
        self.server = server
        self.spec = spec


def receive() -> Terms:
    """Reads standard input to its end, and puts the null device in its place.

    Raises:
        BrokenFrame, KeyError, ValueError: what came are no terms.
    """
    parts: list[bytes] = []
    while part := os.read(STDIN, 65536):
        parts.append(part)
    fields = wire.unpack_fields(b"".join(parts))
    nothing = os.open(os.devnull, os.O_RDONLY)
    os.dup2(nothing, STDIN)
    os.close(nothing)
    os.chdir("/")
    return Terms(
        fields["root"].decode(),
        fields["folder"].decode(),
        int(fields["server"]),
        fields["spec"].decode(),
    )


def hand_on(terms: Terms) -> None:
    """Puts terms where the program finds them that this process is about to become; they may take up to 1 MiB."""
    import fcntl

    fields: dict[str, wire.Value] = {
        "root": terms.root,
        "folder": terms.folder,
        "server": terms.server,
        "spec": terms.spec,
    }
    payload = wire.pack_fields(fields)
    reading, writing = os.pipe()
    fcntl.fcntl(writing, F_SETPIPE_SZ, len(payload))  # all of it has to lie in the pipe
    wire.write_all(writing, payload)
    os.close(writing)
    os.dup2(reading, STDIN)
    os.close(reading)
