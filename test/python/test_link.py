"""Messages between a supervisor and its runner. Whatever comes from the runner may be forged by the code."""

from __future__ import annotations

import os
import random
import threading
from typing import TYPE_CHECKING

import pytest
from py_executor_runtime import wire
from py_executor_runtime.link import (
    MAX_REPORT_BYTES,
    Link,
    ReportReader,
    Task,
    receive_task,
    send_report,
    send_task,
)

if TYPE_CHECKING:
    from collections.abc import Iterator

SEED = 20240229


class Reports:
    """The pipe for reports, with the supervisor's reader at its end."""

    def __init__(self) -> None:
        self.reading, self.writing = os.pipe()
        os.set_blocking(self.reading, False)
        self.reader = ReportReader(self.reading)

    def read_after(self, data: bytes) -> list[dict[str, bytes]]:
        """What the supervisor hears of these bytes."""
        heard: list[dict[str, bytes]] = []
        for start in range(0, len(data), 60_000):  # less than a pipe holds
            os.write(self.writing, data[start : start + 60_000])
            heard += self.reader.read()
        return heard

    def hang_up(self) -> None:
        os.close(self.writing)
        self.writing = -1


@pytest.fixture
def reports() -> Iterator[Reports]:
    reports = Reports()
    yield reports
    os.close(reports.reading)
    if reports.writing >= 0:
        os.close(reports.writing)


def report(fields: dict[str, wire.Value]) -> bytes:
    return message(wire.pack_fields(fields))


def message(payload: bytes) -> bytes:
    return len(payload).to_bytes(4, "big") + payload


def test_a_task_arrives_as_it_was_sent() -> None:
    orders, far = os.pipe()
    task = Task(
        code="print('é😀')\n".encode(),
        script="/tmp/x/snippet.py",
        cwd=os.fsdecode(b"/data/\xff"),  # a name that is no UTF-8
        temp="/tmp/x/t",
        result_chars=20_000,
    )
    send_task(far, task)
    os.close(far)
    received = receive_task(orders)
    assert received is not None
    assert vars(received) == vars(task)
    assert receive_task(orders) is None
    os.close(orders)


@pytest.mark.parametrize("begun", [b"", b"\0\0", b"\0\0\0\x10"])
def test_no_task_comes_from_a_supervisor_that_is_gone(begun: bytes) -> None:
    orders, far = os.pipe()
    os.write(far, begun)
    os.close(far)
    assert receive_task(orders) is None
    os.close(orders)


def test_a_runner_keeps_only_the_ends_that_are_its_own() -> None:
    link = Link()
    ends = [*link.orders, *link.reports, *link.output, *link.errors]
    assert not any(os.get_inheritable(fd) for fd in ends)
    link.keep_runner_ends()
    kept = [link.orders[0], link.reports[1], link.output[1], link.errors[1]]
    assert {fd for fd in ends if is_open(fd)} == set(kept)
    for fd in kept:
        os.close(fd)


def test_a_supervisor_never_waits_for_what_a_runner_sends() -> None:
    link = Link()
    for reading, writing in (link.reports, link.output, link.errors):
        assert not os.get_blocking(reading)
        assert os.get_blocking(writing)
    for fd in (*link.orders, *link.reports, *link.output, *link.errors):
        os.close(fd)


def is_open(fd: int) -> bool:
    try:
        os.fstat(fd)
    except OSError:
        return False
    return True


def test_reports_are_read_as_they_were_sent(reports: Reports) -> None:
    send_report(reports.writing, {"result": "é\ud800", "result_truncated": 0})
    send_report(reports.writing, {"exit_code": 3})
    assert reports.reader.read() == [
        {"result": b"\xc3\xa9\xed\xa0\x80", "result_truncated": b"0"},
        {"exit_code": b"3"},
    ]
    assert reports.reader.read() == []


def test_a_report_counts_when_it_is_complete(reports: Reports) -> None:
    data = report({"exit_code": 3})
    for i in range(len(data) - 1):
        assert reports.read_after(data[i : i + 1]) == []
    assert reports.read_after(data[-1:]) == [{"exit_code": b"3"}]


def test_a_reader_knows_that_nothing_more_can_come(reports: Reports) -> None:
    send_report(reports.writing, {"exit_code": 0})
    reports.hang_up()
    assert reports.reader.read() == [{"exit_code": b"0"}]
    assert not reports.reader.is_open
    assert reports.reader.read() == []


def test_a_report_to_nobody_is_silent() -> None:
    reading, writing = os.pipe()
    os.close(reading)
    send_report(writing, {"exit_code": 0})
    os.close(writing)
    send_report(writing, {"exit_code": 0})  # the code may have closed it


@pytest.mark.parametrize(
    "forged",
    [
        message(b"rubbish"),
        message(b"\xff\xff\xff\xff"),
        message(b"\0\0\0\1a"),
        message(b"\0\0\0\1\xff\0\0\0\0"),
        message(b""),
    ],
)
def test_a_report_that_is_none_is_passed_over_and_the_next_one_read(
    reports: Reports, forged: bytes
) -> None:
    heard = reports.read_after(forged + report({"exit_code": 3}))
    assert [fields for fields in heard if fields] == [{"exit_code": b"3"}]


@pytest.mark.parametrize("length", [MAX_REPORT_BYTES, 2**31, 2**32 - 1])
def test_a_report_of_a_length_that_none_has_ends_the_listening(
    reports: Reports, length: int
) -> None:
    forged = length.to_bytes(4, "big") + report({"exit_code": 0})
    assert reports.read_after(forged) == []
    assert not reports.reader.is_open
    assert reports.read_after(report({"exit_code": 0})) == []


def test_a_report_that_never_ends_is_neither_heard_nor_kept_beyond_the_limit(
    reports: Reports,
) -> None:
    assert reports.read_after((MAX_REPORT_BYTES - 4).to_bytes(4, "big") + b"x" * 200_000) == []
    assert reports.reader.is_open
    reports.hang_up()
    assert reports.reader.read() == []
    assert not reports.reader.is_open


def test_any_rubbish_is_survived() -> None:
    rng = random.Random(SEED)
    for _ in range(300):
        forged = bytearray(report({"result": "value", "exit_code": 3}) * rng.randint(1, 3))
        for _ in range(rng.randint(1, 4)):
            forged[rng.randrange(len(forged))] = rng.randrange(256)
        reports = Reports()
        heard = reports.read_after(bytes(forged))
        reports.hang_up()
        heard += reports.reader.read()
        os.close(reports.reading)
        assert len(heard) <= len(forged) / 4
        assert not reports.reader.is_open


def test_reports_without_end_leave_time_for_other_things(reports: Reports) -> None:
    is_over = threading.Event()

    def flood() -> None:
        while not is_over.is_set():
            os.write(reports.writing, bytes(4096))

    reader = ReportReader(reports.reading, 1024 * 1024 * 1024)
    flooding = threading.Thread(target=flood)
    flooding.start()
    for _ in range(5):
        assert len(reader.read()) <= (1024 + 64) * 1024 / 4
    is_over.set()
    while flooding.is_alive():
        reader.read()
    assert reader.is_open


def test_no_report_is_longer_than_one_may_be_though_all_may_be_more(reports: Reports) -> None:
    reader = ReportReader(reports.reading, 10_000, 100)
    os.write(reports.writing, report({"result": "x" * 20}) * 20)
    assert len(reader.read()) == 20
    os.write(reports.writing, (200).to_bytes(4, "big"))
    assert reader.read() == []
    assert not reader.is_open
