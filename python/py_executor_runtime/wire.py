"""Frames on the connection between the server and a supervisor; `src/workers/wire.ts` is the other end.

A frame is one byte that names its kind, the payload's length (4 bytes, big-endian) and the payload. The payload of a
frame with fields alternates names and values, each a length (4 bytes, big-endian) and that many bytes.
"""

from __future__ import annotations

from os import read, write  # as they are before a script can replace them

TYPE_CHECKING = False  # typing itself takes longer to import than a run takes
if TYPE_CHECKING:
    from typing import Union

    Value = Union[bytes, str, int]

# server → host of sessions
SESSION = b"S"  # no payload: this place is to hold sessions; see session_host
TASK = b"Q"  # fields: something to do; see hosted_task.HostedTask
INTERRUPT = b"I"  # fields: id of a task
CANCEL = b"C"  # fields: id of a task
CLOSE = b"K"  # fields: process, the number of a session process
# host of sessions → server
MULTIPLEXED = b"M"  # a task's id (4 bytes, big-endian), the kind of a frame, its payload
DIED = b"D"  # fields: process, and how it ended while it had nothing to do
# server → supervisor
RUN = b"R"  # fields: the request; see supervisor.Request
SLOT = b"L"  # no payload: this connection is to be a place for runs; see slot
TEMPLATE = b"T"  # fields: this connection is to control a further template; see template.Opening
# supervisor → server
READY = b"A"  # fields: what kind of interpreter this is, or why it can't be used
STDOUT = b"O"  # bytes that the run wrote
STDERR = b"E"
STDOUT_TAIL = b"o"  # after output that wasn't forwarded: its length (8 bytes, big-endian), then the last bytes of it
STDERR_TAIL = b"e"
DISPLAY = b"V"  # fields: something that the run shows; see display_link
ENDED = b"X"  # fields: how the run ended; always the last frame

HEADER_BYTES = 5
#: A request holds one snippet (1 MiB unless the operator raised that) and some options.
MAX_FRAME_BYTES = 256 * 1024 * 1024


class BrokenFrame(ValueError):
    """The peer sent what is no frame, or a frame beyond the limit."""


def frame(kind: bytes, payload: bytes = b"") -> bytes:
    """One frame, ready to be written."""
    return kind + len(payload).to_bytes(4, "big") + payload


def pack_fields(fields: dict[str, Value]) -> bytes:
    """The payload of a frame with fields. Numbers travel as decimal text, text as UTF-8."""
    parts: list[bytes] = []
    for name, value in fields.items():
        if isinstance(value, int):
            value = str(value)
        if isinstance(value, str):
            value = value.encode("utf-8", "surrogatepass")
        for part in (name.encode(), value):
            parts.append(len(part).to_bytes(4, "big"))
            parts.append(part)
    return b"".join(parts)


def unpack_fields(payload: bytes) -> dict[str, bytes]:
    """The fields of a payload.

    Raises:
        BrokenFrame: a length points outside the payload, a name has no value, or a name is no UTF-8.
    """
    parts: list[bytes] = []
    at, end = 0, len(payload)
    while at < end:
        start = at + 4
        at = start + int.from_bytes(payload[at:start], "big")
        if start > end or at > end:
            raise BrokenFrame("a field reaches beyond its frame")
        parts.append(payload[start:at])
    if len(parts) % 2:
        raise BrokenFrame("a field has a name but no value")
    try:
        return {parts[i].decode(): parts[i + 1] for i in range(0, len(parts), 2)}
    except UnicodeDecodeError:
        raise BrokenFrame("a name is no UTF-8") from None


def read_frame(fd: int) -> tuple[bytes, bytes] | None:
    """Waits for one whole frame on a blocking descriptor.

    Returns:
        The frame's kind and payload, or None if the peer closed the connection.

    Raises:
        BrokenFrame: the frame is longer than MAX_FRAME_BYTES, or ends in the middle.
    """
    header = read_exactly(fd, HEADER_BYTES)
    if not header:
        return None
    length = int.from_bytes(header[1:], "big")
    if length > MAX_FRAME_BYTES:
        raise BrokenFrame(f"a frame of {length} bytes")
    payload = read_exactly(fd, length)
    if len(header) < HEADER_BYTES or len(payload) < length:
        raise BrokenFrame("the connection ended in the middle of a frame")
    return header[:1], payload


class FrameParser:
    """Cuts what comes on a non-blocking descriptor into frames."""

    def __init__(self) -> None:
        self._data = bytearray()

    def push(self, data: bytes) -> list[tuple[bytes, bytes]]:
        """The kinds and payloads of the frames that are complete with this piece.

        Raises:
            BrokenFrame: a frame is longer than MAX_FRAME_BYTES.
        """
        self._data += data
        frames: list[tuple[bytes, bytes]] = []
        while len(self._data) >= HEADER_BYTES:
            length = int.from_bytes(self._data[1:HEADER_BYTES], "big")
            if length > MAX_FRAME_BYTES:
                raise BrokenFrame(f"a frame of {length} bytes")
            end = HEADER_BYTES + length
            if len(self._data) < end:
                break
            frames.append((bytes(self._data[:1]), bytes(self._data[HEADER_BYTES:end])))
            del self._data[:end]
        return frames


def write_all(fd: int, data: bytes) -> None:
    """Writes to a blocking descriptor until everything is written."""
    view = memoryview(data)
    while view:
        view = view[write(fd, view) :]


def read_exactly(fd: int, length: int) -> bytes:
    """Waits for that many bytes on a blocking descriptor; fewer if it ends before."""
    parts: list[bytes] = []
    missing = length
    while missing > 0:
        part = read(fd, min(missing, 1 << 20))
        if not part:
            break
        parts.append(part)
        missing -= len(part)
    return b"".join(parts)
