"""Carries what a run writes from a pipe to the server, within a bound."""

from __future__ import annotations

import os

from . import wire
from .link import OUTPUT_PIPE_BYTES

TYPE_CHECKING = False  # typing itself takes longer to import than a run takes
if TYPE_CHECKING:
    from typing import Callable

#: Below the size from which malloc(3) maps memory for each buffer.
READ_BYTES = 64 * 1024
#: As many reads empty a pipe of what is in it when they begin (link.OUTPUT_PIPE_BYTES).
READS_OF_A_FULL_PIPE = OUTPUT_PIPE_BYTES // READ_BYTES + 1


def drain(relays: list[Relay]) -> None:
    """Collects what is in the pipes by now. Nobody is waited for: what still writes may do so for ever."""
    for relay in relays:
        for _ in range(READS_OF_A_FULL_PIPE):
            if not (relay.is_open and relay.pump()):
                break


def send_tails(relays: list[Relay], send: Callable[[bytes, bytes], None]) -> None:
    """Hands on what was held back of stdout and stderr, as frames: the relays are in that order."""
    for relay, kind in zip(relays, (wire.STDOUT_TAIL, wire.STDERR_TAIL)):
        if relay.held_back:
            send(kind, relay.held_back.to_bytes(8, "big") + relay.tail())


class Relay:
    """One output stream of a run.

    The first `limit` bytes are forwarded as they come. Of the rest only the last `tail` bytes are kept, so that a run
    that prints for ever costs constant memory, and the end of its output, often the answer, is not lost.
    """

    def __init__(self, fd: int, limit: int, tail: int, forward: Callable[[bytes], None]) -> None:
        self.fd = fd
        self.is_open = True
        self.held_back = 0
        """Bytes that were not forwarded."""
        self._room = limit
        self._tail_bytes = tail
        self._tail: list[bytes] = []
        self._tail_size = 0
        self._forward = forward

    def pump(self) -> bool:
        """Moves one piece; returns whether there may be more at once."""
        try:
            data = os.read(self.fd, READ_BYTES)
        except BlockingIOError:
            return False
        if not data:
            self.is_open = False
            return False
        if self._room >= len(data):
            self._room -= len(data)
            self._forward(data)
        else:
            if self._room:
                self._forward(data[: self._room])
                data = data[self._room :]
                self._room = 0
            self._hold_back(data)
        return True

    def tail(self) -> bytes:
        """The last bytes of what was held back."""
        return b"".join(self._tail)[-self._tail_bytes :]

    def _hold_back(self, data: bytes) -> None:
        self.held_back += len(data)
        self._tail.append(data)
        self._tail_size += len(data)
        while self._tail and self._tail_size - len(self._tail[0]) >= self._tail_bytes:
            self._tail_size -= len(self._tail.pop(0))
