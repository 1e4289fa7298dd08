"""How output is carried from a pipe to the server, within a bound."""

from __future__ import annotations

import os
import random
import signal
from typing import TYPE_CHECKING

import pytest
from py_executor_runtime.relay import READ_BYTES, READS_OF_A_FULL_PIPE, Relay, drain

if TYPE_CHECKING:
    from collections.abc import Iterator

SEED = 20240229


class Stream:
    """An output stream: what is written to it is relayed."""

    def __init__(self, limit: int, tail: int) -> None:
        self._reading, self._writing = os.pipe()
        os.set_blocking(self._reading, False)
        self.forwarded: list[bytes] = []
        self.relay = Relay(self._reading, limit, tail, self.forwarded.append)

    def write(self, data: bytes) -> None:
        """Writes, and relays until nothing is left in the pipe."""
        for start in range(0, len(data), 60_000):  # less than a pipe holds
            os.write(self._writing, data[start : start + 60_000])
            while self.relay.pump():
                pass

    def end(self) -> None:
        os.close(self._writing)
        self._writing = -1

    def close(self) -> None:
        os.close(self._reading)
        if self._writing >= 0:
            self.end()

    @property
    def seen(self) -> tuple[bytes, int, bytes]:
        """What was forwarded, how much was not, and the end of that."""
        return b"".join(self.forwarded), self.relay.held_back, self.relay.tail()


_streams: list[Stream] = []


@pytest.fixture(autouse=True)
def close_streams() -> Iterator[None]:
    yield
    while _streams:
        _streams.pop().close()


def open_stream(limit: int, tail: int) -> Stream:
    stream = Stream(limit, tail)
    _streams.append(stream)
    return stream


def test_output_within_the_limit_is_forwarded_as_it_comes() -> None:
    stream = open_stream(10, 4)
    stream.write(b"abc")
    stream.write(b"de\xff\x00")
    assert stream.forwarded == [b"abc", b"de\xff\x00"]
    assert stream.seen == (b"abcde\xff\x00", 0, b"")


@pytest.mark.parametrize(
    ("written", "seen"),
    [
        (b"0123456789", (b"0123456789", 0, b"")),
        (b"0123456789a", (b"0123456789", 1, b"a")),
        (b"0123456789abcd", (b"0123456789", 4, b"abcd")),
        (b"0123456789abcde", (b"0123456789", 5, b"bcde")),
    ],
)
def test_beyond_the_limit_output_is_counted_and_its_end_kept(
    written: bytes, seen: tuple[bytes, int, bytes]
) -> None:
    at_once = open_stream(10, 4)
    at_once.write(written)
    assert at_once.seen == seen
    byte_by_byte = open_stream(10, 4)
    for i in range(len(written)):
        byte_by_byte.write(written[i : i + 1])
    assert byte_by_byte.seen == seen


def test_nothing_is_forwarded_where_the_limit_is_nothing() -> None:
    stream = open_stream(0, 4)
    stream.write(b"abcdef")
    assert stream.forwarded == []
    assert stream.seen == (b"", 6, b"cdef")


def test_any_output_in_any_pieces() -> None:
    rng = random.Random(SEED)
    for _ in range(300):
        limit, tail = rng.randint(0, 40), rng.randint(1, 20)
        pieces = [rng.randbytes(rng.randint(1, 25)) for _ in range(rng.randint(0, 12))]
        stream = open_stream(limit, tail)
        for piece in pieces:
            stream.write(piece)
        output = b"".join(pieces)
        rest = output[limit:]
        assert stream.seen == (output[:limit], len(rest), rest[-tail:])
        _streams.pop().close()


def test_endless_output_costs_constant_memory() -> None:
    stream = open_stream(1000, 1000)
    line = b"x" * 50_000
    for _ in range(400):
        stream.write(line)
    forwarded, held_back, tail = stream.seen
    assert (len(forwarded), held_back, tail) == (1000, 20_000_000 - 1000, b"x" * 1000)
    kept: list[bytes] = stream.relay._tail  # pyright: ignore[reportPrivateUsage]
    assert sum(map(len, kept)) <= 1000 + READ_BYTES


def test_an_empty_pipe_is_not_waited_for() -> None:
    stream = open_stream(10, 4)
    assert stream.relay.pump() is False
    assert stream.relay.is_open


def test_the_end_of_a_stream_is_noticed_when_all_of_it_has_been_read() -> None:
    stream = open_stream(10, 4)
    os.write(stream._writing, b"last")  # pyright: ignore[reportPrivateUsage]
    stream.end()
    assert stream.relay.pump() is True
    assert stream.relay.is_open
    assert stream.relay.pump() is False
    assert not stream.relay.is_open
    assert stream.seen == (b"last", 0, b"")


def test_a_writer_that_never_stops_does_not_keep_what_is_there_from_being_collected() -> None:
    reading, writing = os.pipe()
    pid = os.fork()
    if pid == 0:
        while True:
            os.write(writing, b"x" * 4096)
    os.close(writing)
    os.set_blocking(reading, False)
    taken: list[bytes] = []
    try:
        drain([Relay(reading, 1 << 40, 100, taken.append)])
    finally:
        os.kill(pid, signal.SIGKILL)
        os.waitpid(pid, 0)
        os.close(reading)
    assert sum(map(len, taken)) <= READS_OF_A_FULL_PIPE * READ_BYTES
