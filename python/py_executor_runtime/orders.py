"""Orders from the host of sessions to a session process, with the descriptors that belong to them (unix(7), SCM_RIGHTS)."""

from __future__ import annotations

import array
import marshal
import os

TYPE_CHECKING = False  # typing itself takes longer to import than a run takes
if TYPE_CHECKING:
    from typing import Any

    Order = dict[str, Any]

_socket: Any = __import__("_socket")
_HEADER_BYTES = 4
_MAX_DESCRIPTORS = 8


class OrderChannel:
    """One end of the connection between a host and a session process; what comes from the latter is never read."""

    def __init__(self, fd: int) -> None:
        """Takes a descriptor of a connected stream socket over."""
        self._socket = _socket.socket(fileno=fd)

    @staticmethod
    def pair() -> tuple[int, int]:
        """Descriptors of a new connection's two ends, both closed on exec(2)."""
        ends = _socket.socketpair()
        one, other = (os.dup(end.fileno()) for end in ends)  # os.dup gives what is not inheritable
        for end in ends:
            end.close()
        return one, other

    def fileno(self) -> int:
        """The descriptor."""
        return self._socket.fileno()

    def send(self, order: Order, descriptors: tuple[int, ...] = ()) -> None:
        """Sends an order. Raises OSError if the other end is gone."""
        data = marshal.dumps(order)
        message = len(data).to_bytes(_HEADER_BYTES, "big") + data
        rights = []
        if descriptors:
            passed = array.array("i", descriptors)
            rights = [(_socket.SOL_SOCKET, _socket.SCM_RIGHTS, passed)]
        sent = self._socket.sendmsg([message], rights)
        while sent < len(message):
            sent += self._socket.send(message[sent:])

    def receive(self) -> tuple[Order, list[int]] | None:
        """Waits for an order; None if the host is gone."""
        descriptors: list[int] = []
        header = self._read(_HEADER_BYTES, descriptors)
        data = self._read(int.from_bytes(header, "big"), descriptors)
        if len(header) < _HEADER_BYTES or not data:
            return None
        return marshal.loads(data), descriptors

    def close(self) -> None:
        """Closes this end."""
        self._socket.close()

    def _read(self, length: int, descriptors: list[int]) -> bytes:
        parts: list[bytes] = []
        missing = length
        space = _socket.CMSG_SPACE(_MAX_DESCRIPTORS * array.array("i").itemsize)
        while missing > 0:
            part, ancillary, _, _ = self._socket.recvmsg(min(missing, 1 << 20), space)
            for level, kind, data in ancillary:
                if (level, kind) == (_socket.SOL_SOCKET, _socket.SCM_RIGHTS):
                    passed = array.array("i")
                    passed.frombytes(data[: len(data) - len(data) % passed.itemsize])
                    descriptors.extend(passed)
            if not part:
                break
            parts.append(part)
            missing -= len(part)
        return b"".join(parts)
