"""Frames, held to the vectors that the server's end is held to."""

from __future__ import annotations

import json
import os
import random
import socket
import threading
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest
from py_executor_runtime import wire

if TYPE_CHECKING:
    from collections.abc import Iterator

ROOT = Path(__file__).resolve().parents[2]
VECTORS: dict[str, Any] = json.loads(
    (ROOT / "test" / "vectors" / "wire.json").read_text(encoding="utf-8")
)

SEED = 20240229
ROUNDS = 3_000


def vectors(kind: str) -> list[Any]:
    return [pytest.param(vector, id=vector["name"]) for vector in VECTORS[kind]]


def value_of(value: str | int | dict[str, str]) -> wire.Value:
    return bytes.fromhex(value["hex"]) if isinstance(value, dict) else value


def bytes_of(value: wire.Value) -> bytes:
    if isinstance(value, bytes):
        return value
    return str(value).encode("utf-8", "surrogatepass")


@pytest.fixture
def rng() -> random.Random:
    return random.Random(SEED)


@pytest.fixture
def pipe() -> Iterator[tuple[int, int]]:
    """A pipe's reading and writing end; a test may close them itself."""
    ends = os.pipe()
    yield ends
    for fd in ends:
        try:
            os.close(fd)
        except OSError:
            pass


def test_both_ends_agree_on_the_kinds_of_frames() -> None:
    kinds = {name: getattr(wire, name.upper()).decode() for name in VECTORS["kinds"]}
    assert kinds == VECTORS["kinds"]
    assert len(set(kinds.values())) == len(kinds)


@pytest.mark.parametrize("vector", vectors("fields"))
def test_fields_follow_the_vectors(vector: dict[str, Any]) -> None:
    fields = {name: value_of(value) for name, value in vector["fields"]}
    payload = bytes.fromhex(vector["payload"])
    assert wire.pack_fields(fields) == payload
    assert list(wire.unpack_fields(payload).items()) == [
        (name, bytes_of(value)) for name, value in fields.items()
    ]


@pytest.mark.parametrize("vector", vectors("frames"))
def test_frames_follow_the_vectors(vector: dict[str, Any], pipe: tuple[int, int]) -> None:
    kind, payload = vector["kind"].encode(), bytes.fromhex(vector["payload"])
    written = bytes.fromhex(vector["frame"])
    assert wire.frame(kind, payload) == written
    os.write(pipe[1], written)
    assert wire.read_frame(pipe[0]) == (kind, payload)


@pytest.mark.parametrize("vector", vectors("broken_fields"))
def test_what_is_no_field_is_refused(vector: dict[str, Any]) -> None:
    with pytest.raises(wire.BrokenFrame):
        wire.unpack_fields(bytes.fromhex(vector["payload"]))


def test_a_name_that_is_no_text_is_refused() -> None:
    payload = b"\0\0\0\1\xff\0\0\0\0"
    with pytest.raises(wire.BrokenFrame, match=r"^a name is no UTF-8$"):
        wire.unpack_fields(payload)


def test_text_with_lone_surrogates_is_carried() -> None:
    packed = wire.pack_fields({"result": "\ud83d"})
    assert wire.unpack_fields(packed) == {"result": b"\xed\xa0\xbd"}


def some_fields(rng: random.Random) -> dict[str, wire.Value]:
    def value() -> wire.Value:
        kinds: list[wire.Value] = [
            rng.randint(-(10**12), 10**12),
            rng.randbytes(rng.randint(0, 40)),
            "".join(rng.choices("aé€😀\n\0\ud800", k=rng.randint(0, 20))),
        ]
        return rng.choice(kinds)

    return {"".join(rng.choices("abé", k=3)): value() for _ in range(rng.randint(0, 6))}


def test_fields_come_back_as_they_were_sent(rng: random.Random) -> None:
    for _ in range(ROUNDS):
        fields = some_fields(rng)
        received = wire.unpack_fields(wire.pack_fields(fields))
        assert received == {name: bytes_of(value) for name, value in fields.items()}


def test_any_bytes_are_fields_or_broken(rng: random.Random) -> None:
    outcomes = {"fields": 0, "broken": 0}
    for _ in range(ROUNDS):
        payload = bytearray(wire.pack_fields(some_fields(rng)) or b"\0\0\0\1a")
        for _ in range(rng.randint(0, 3)):
            payload[rng.randrange(len(payload))] = rng.choice((0, 1, 2, 255, rng.randrange(256)))
        if rng.random() < 0.3:
            payload = payload[: rng.randrange(len(payload) + 1)]
        try:
            fields = wire.unpack_fields(bytes(payload))
        except wire.BrokenFrame:
            outcomes["broken"] += 1
        else:
            outcomes["fields"] += 1
            assert sum(map(len, fields.values())) <= len(payload)
    assert min(outcomes.values()) > ROUNDS / 10


def read_all(fd: int) -> list[tuple[bytes, bytes]]:
    frames: list[tuple[bytes, bytes]] = []
    while (frame := wire.read_frame(fd)) is not None:
        frames.append(frame)
    return frames


def some_frames(rng: random.Random) -> list[tuple[bytes, bytes]]:
    kinds = [wire.STDOUT, wire.SLOT, wire.ENDED]
    return [
        (rng.choice(kinds), rng.randbytes(rng.randint(0, 30))) for _ in range(rng.randint(0, 6))
    ]


def test_frames_are_read_one_after_the_other_until_the_connection_closes(
    pipe: tuple[int, int], rng: random.Random
) -> None:
    frames = [frame for _ in range(50) for frame in some_frames(rng)]
    os.write(pipe[1], b"".join(wire.frame(*frame) for frame in frames))
    os.close(pipe[1])
    assert read_all(pipe[0]) == frames


def test_a_stream_that_ends_anywhere_gives_the_whole_frames_before_and_says_what_is_broken(
    rng: random.Random,
) -> None:
    frames = [(wire.STDOUT, b"abc"), (wire.SLOT, b""), (wire.ENDED, b"\0" * 9)]
    stream = b"".join(wire.frame(*frame) for frame in frames)
    ends = [0, 8, 13, len(stream)]
    for length in range(len(stream) + 1):
        reading, writing = os.pipe()
        try:
            os.write(writing, stream[:length])
            os.close(writing)
            for frame in frames[: sum(end <= length for end in ends[1:])]:
                assert wire.read_frame(reading) == frame
            if length in ends:
                assert wire.read_frame(reading) is None
            else:
                with pytest.raises(wire.BrokenFrame, match="in the middle of a frame"):
                    wire.read_frame(reading)
        finally:
            os.close(reading)


def test_any_stream_is_frames_or_broken(rng: random.Random) -> None:
    for _ in range(ROUNDS // 10):
        stream = bytearray(b"".join(wire.frame(*frame) for frame in some_frames(rng)) or b"?")
        stream[rng.randrange(len(stream))] = rng.randrange(256)
        reading, writing = os.pipe()
        try:
            os.write(writing, stream)
            os.close(writing)
            frames = read_all(reading)
        except wire.BrokenFrame:
            continue
        finally:
            os.close(reading)
        assert b"".join(wire.frame(*frame) for frame in frames) == stream


def test_a_frame_beyond_the_limit_is_refused_before_it_is_read(pipe: tuple[int, int]) -> None:
    os.write(pipe[1], b"R" + (wire.MAX_FRAME_BYTES + 1).to_bytes(4, "big"))
    with pytest.raises(wire.BrokenFrame, match=r"^a frame of 268435457 bytes$"):
        wire.read_frame(pipe[0])  # would wait for ever for the payload


def test_a_large_frame_passes_whole_through_a_small_buffer(rng: random.Random) -> None:
    payload = rng.randbytes(3_000_000)
    near, far = socket.socketpair()
    with near, far:
        writer = threading.Thread(
            target=wire.write_all, args=(near.fileno(), wire.frame(wire.RUN, payload))
        )
        writer.start()
        received = wire.read_frame(far.fileno())
        writer.join()
    whole = received == (wire.RUN, payload)  # a bare assert would diff megabytes on failure
    assert whole


def test_less_is_read_where_the_connection_ends_before(pipe: tuple[int, int]) -> None:
    os.write(pipe[1], b"abc")
    os.close(pipe[1])
    assert wire.read_exactly(pipe[0], 2) == b"ab"
    assert wire.read_exactly(pipe[0], 2) == b"c"
    assert wire.read_exactly(pipe[0], 2) == b""
