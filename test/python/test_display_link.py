"""Displays on their way from a run's process. Whatever comes from there may be forged by the code."""

from __future__ import annotations

import os
import random
import signal
import threading
import time
from typing import TYPE_CHECKING, Any

import pytest
from py_executor_runtime import wire
from py_executor_runtime.display_link import MAX_BYTES, DisplayReader, DisplaySender
from py_executor_runtime.link import ReportReader, send_report

if TYPE_CHECKING:
    from collections.abc import Iterator

    Fields = dict[str, bytes]

SEED = 20240229


class Pipe:
    """The pipe for reports, which is read all the time; what has come through it is known when it is closed."""

    def __init__(self) -> None:
        self.reading, self.writing = os.pipe()
        os.set_blocking(self.reading, False)
        self.reports: list[Fields] = []
        self._frames: list[bytes] = []
        self._displays = DisplayReader(self._frames.append)
        self._reader = ReportReader(self.reading, 200 * 1024 * 1024)
        self._thread = threading.Thread(target=self._read)
        self._thread.start()

    def _read(self) -> None:
        while self._reader.is_open:
            for report in self._reader.read():
                self._displays.take(report)
                self.reports.append(report)
            time.sleep(0.0005)

    def close(self) -> list[Fields]:
        """Hangs up; returns the displays that have come."""
        if self.writing >= 0:
            os.close(self.writing)
            self.writing = -1
            self._thread.join()
            os.close(self.reading)
        return [wire.unpack_fields(frame) for frame in self._frames]


@pytest.fixture
def pipe() -> Iterator[Pipe]:
    pipe = Pipe()
    yield pipe
    pipe.close()


def shown(text: str, size: int = 0) -> dict[str, Any]:
    return {"source": "display", "data": {"text/plain": text, "text/html": text[:1] * size}}


def take(*reports: dict[str, wire.Value]) -> list[bytes]:
    """What a reader makes of these reports."""
    frames: list[bytes] = []
    reader = DisplayReader(frames.append)
    for report in reports:
        reader.take(wire.unpack_fields(wire.pack_fields(report)))
    return frames


def test_a_display_arrives_as_it_was_sent(pipe: Pipe) -> None:
    send = DisplaySender(pipe.writing)
    send(
        "update",
        {
            "source": "figure",
            "display_id": "é",
            "data": {"image/png": b"\x89PNG\0" * 100_000, "text/plain": "日本\ud800"},
            "originals": {"image/png": b"larger"},
            "metadata": {"image/png": {"width": 3}},
            "notes": ["one", "two"],
        },
    )
    send("clear", {"wait": True})
    send("note", {"text": "left out"})
    assert pipe.close() == [
        {
            "kind": b"update",
            "source": b"figure",
            "display_id": "é".encode(),
            "metadata": b'{"image/png": {"width": 3}}',
            "notes": b'["one", "two"]',
            ":image/png": b"\x89PNG\0" * 100_000,
            "=text/plain": b"\xe6\x97\xa5\xe6\x9c\xac\xed\xa0\x80",
            "+image/png": b"larger",
        },
        {"kind": b"clear"},
        {"kind": b"note", "text": b"left out"},
    ]


@pytest.mark.parametrize("size", [0, 1, 3900, 3996, 3997, 4096, 8192, 100_000])
def test_a_display_of_any_length_is_whole(size: int, pipe: Pipe) -> None:
    DisplaySender(pipe.writing)("display", {"data": {"a/b": b"x" * size}})
    assert [one[":a/b"] for one in pipe.close()] == [b"x" * size]


def test_no_piece_is_longer_than_what_a_pipe_takes_whole() -> None:
    reading, writing = os.pipe()
    longest = os.fpathconf(writing, "PC_PIPE_BUF")
    sender = DisplaySender(writing)
    sender._count = 10**12  # pyright: ignore[reportPrivateUsage]
    sender("display", {"data": {"a/b": b"x" * 30_000}})
    data = os.read(reading, 65536)
    lengths: list[int] = []
    while data:
        end = 4 + int.from_bytes(data[:4], "big")
        lengths.append(end)
        data = data[end:]
    assert len(lengths) > 5
    assert max(lengths) <= longest
    os.close(reading)
    os.close(writing)


def test_a_display_that_an_exception_cuts_short_is_dropped_and_the_next_one_is_whole(
    pipe: Pipe,
) -> None:
    class AlarmError(Exception):
        pass

    def ring(*_: object) -> None:
        raise AlarmError

    send = DisplaySender(pipe.writing)
    before = signal.signal(signal.SIGALRM, ring)
    cut = whole = 0
    try:
        for number in range(200):
            try:
                signal.setitimer(signal.ITIMER_REAL, 0.0002 + number % 10 * 0.0003)
                send("display", shown(f"{number}", 300_000))
                signal.setitimer(signal.ITIMER_REAL, 0)
                whole += 1
            except AlarmError:
                cut += 1
    finally:
        signal.setitimer(signal.ITIMER_REAL, 0)
        signal.signal(signal.SIGALRM, before)
    send("display", shown("last", 10))
    displays = pipe.close()
    assert cut > 0
    # the alarm may have rung when a display was out already
    assert whole < len(displays) <= whole + 1 + cut
    for one in displays:
        text = one["=text/plain"].decode()
        assert one["=text/html"] == (text[:1] * (10 if text == "last" else 300_000)).encode()


def test_a_signal_handler_may_show_something_while_something_is_shown(pipe: Pipe) -> None:
    send = DisplaySender(pipe.writing)

    def ring(*_: object) -> None:
        send("display", shown("inner", 50_000))

    before = signal.signal(signal.SIGALRM, ring)
    try:
        signal.setitimer(signal.ITIMER_REAL, 0.002, 0.02)
        for _ in range(20):
            send("display", shown("outer", 2_000_000))
    finally:
        signal.setitimer(signal.ITIMER_REAL, 0)
        signal.signal(signal.SIGALRM, before)
    displays = pipe.close()
    texts = [one["=text/plain"] for one in displays]
    assert texts.count(b"outer") == 20
    assert b"inner" in texts
    for one in displays:
        is_outer = one["=text/plain"] == b"outer"
        assert one["=text/html"] == (b"o" * 2_000_000 if is_outer else b"i" * 50_000)


def test_other_reports_between_pieces_are_no_part_of_a_display() -> None:
    assert take(
        {"display": 1, "at": 0, "piece": b"a"},
        {"result": "x", "exit_code": 0},
        {"display": 1, "at": 1, "piece": b"b", "last": 1},
    ) == [b"ab"]


def test_the_rest_of_a_display_that_was_dropped_is_none() -> None:
    begun: list[dict[str, wire.Value]] = [
        {"display": number, "at": 0, "piece": b"x"} for number in range(1, 40)
    ]
    ends: list[dict[str, wire.Value]] = [
        {"display": number, "at": 1, "piece": b"y", "last": 1} for number in range(1, 40)
    ]
    assert take(*begun, *ends) == [b"xy"] * 16
    assert take({"display": 1, "at": 5, "piece": b"y", "last": 1}) == []


def test_what_is_kept_of_unfinished_displays_is_bounded() -> None:
    frames: list[bytes] = []
    reader = DisplayReader(frames.append)
    piece = b"x" * (1024 * 1024)
    for number in range(MAX_BYTES // len(piece) + 5):
        name = b"%d" % (number % 3)
        reader.take({"display": name, "at": b"0" if number < 3 else b"1", "piece": piece})
    held = sum(len(one) for pieces in reader._begun.values() for one in pieces)  # pyright: ignore[reportPrivateUsage]
    assert held <= MAX_BYTES
    assert held == reader._size  # pyright: ignore[reportPrivateUsage]
    for number in range(100_000):
        reader.take({"display": b"n%d" % number, "at": b"0", "piece": b"x"})
    assert len(reader._begun) <= 16  # pyright: ignore[reportPrivateUsage]
    reader.take({"display": b"good", "at": b"0", "piece": b"whole", "last": b"1"})
    assert frames == [b"whole"]


def test_any_reports_are_survived() -> None:
    rng = random.Random(SEED)
    frames: list[bytes] = []
    reader = DisplayReader(frames.append)
    for _ in range(5000):
        report: Fields = {}
        for name in ("display", "at", "piece", "last"):
            if rng.random() < 0.8:
                report[name] = rng.choice([b"", b"0", b"1", b"\xff", b"x" * 100])
        reader.take(report)
    assert all(isinstance(frame, bytes) for frame in frames)
    assert reader._size == sum(  # pyright: ignore[reportPrivateUsage]
        len(one)
        for pieces in reader._begun.values()  # pyright: ignore[reportPrivateUsage]
        for one in pieces
    )


def test_displays_to_nobody_are_silent(pipe: Pipe) -> None:
    writing = os.dup(pipe.writing)
    send = DisplaySender(writing)
    os.close(writing)  # as the code may do
    send("display", shown("x", 100_000))
    assert pipe.close() == []


def test_a_report_after_a_display_is_still_heard(pipe: Pipe) -> None:
    DisplaySender(pipe.writing)("display", shown("x", 100_000))
    send_report(pipe.writing, {"exit_code": 3})
    assert len(pipe.close()) == 1
    assert pipe.reports[-1] == {"exit_code": b"3"}


def test_metadata_that_json_has_no_way_to_say_are_left_out(pipe: Pipe) -> None:
    DisplaySender(pipe.writing)("display", {"metadata": {"a/b": object()}, "data": {"a/b": "x"}})
    assert pipe.close() == [{"kind": b"display", "metadata": b"", "=a/b": b"x"}]
