"""A task as the host of sessions sees it: what a session process, or a copy of it, carries out."""

from __future__ import annotations

import math
import os

from . import process_tree, wire
from .display_link import MAX_BYTES_IN_ALL, DisplayReader
from .hosted_process import HostedProcess
from .link import EXIT_CODES, MAX_REPORT_BYTES, Link, ReportReader
from .orders import OrderChannel
from .relay import Relay, drain, send_tails
from .run_folder import RunFolder
from .supervisor import LONGEST_WORD

TYPE_CHECKING = False  # typing itself takes longer to import than a run takes
if TYPE_CHECKING:
    from typing import Callable

    from .containment.open_place import OpenPlace

    Ending = dict[str, wire.Value]

SIGINT = 2
#: How long a cell may take to settle after it was interrupted at its deadline.
GRACE_SECONDS = 2.0
#: How long what a copy has started may take to be gone once it was killed.
GONE_SECONDS = 1.0
#: What is told if all that could report of a copy is gone.
_NO_COPY = "the copy ended before it could begin"
_LONGEST_SENTENCE = 1000
_LONGEST_LISTING = 2 * 1024 * 1024


class HostedTask:
    """Something that a session process or a copy of it was asked to do, until its end is reported."""

    def __init__(
        self,
        identity: int,
        fields: dict[str, bytes],
        process: HostedProcess | None,
        place: OpenPlace,
        send: Callable[[int, bytes, bytes], None],
    ) -> None:
        self.process = process
        self.operation = fields["op"].decode()
        self.is_copy = self.operation == "copy"
        self._is_in_copy = self.operation in ("copy", "fork")
        self.pid = 0
        """Of a copy, once it has told."""
        self.forked_number = int(fields.get("as", b"-1"))
        self.forked_link: Link | None = None
        self.forked_orders = -1
        self.due = math.inf
        self._identity = identity
        self._fields = fields
        self._place = place
        self._send = send
        self._end: Ending | None = None
        self._interrupted: Ending | None = None
        """How it will have ended when it settles after an interrupt."""
        self._findings: dict[str, wire.Value] = {}
        self._relays: list[Relay] = []
        self._reports: ReportReader | None = None
        self._displays: DisplayReader | None = None
        self._link: Link | None = None
        self._folder: RunFolder | None = None
        self._started_at = 0.0
        self._written_before = 0
        json_bytes = int(fields["json_bytes"])
        longest = 4 * int(fields["result_chars"])
        self._longest = {
            "result": longest,
            "result_truncated": LONGEST_WORD,
            "imports": longest,
            "denial": LONGEST_WORD,
            "json": json_bytes,
            "json_problem": longest,
            "names": longest,
            "error": _LONGEST_SENTENCE,
            "refused": _LONGEST_SENTENCE,
            "variables": _LONGEST_LISTING,
        }

    @property
    def is_over(self) -> bool:
        """Whether it has ended, and only has to be reported."""
        return self._end is not None

    def begin(self, now: float) -> None:
        """Gives the order."""
        self._started_at = now
        if self.process is not None and not self._is_in_copy:
            self._written_before = process_tree.bytes_written(self.process.pid)
        self.due = now + float(self._fields["timeout"])
        process = self.process
        if process is None:
            self.lose({"end": "exit", "exit_code": -process_tree.SIGKILL})
            return
        try:
            if self._is_in_copy:
                self._order_copy(process)
            else:
                self._listen(process.link)
                script = process.store(self._fields["code"])
                process.orders.send(self._order(script, process.folder))
        except OSError as error:
            self._end = {"end": "exit", "error": str(error)}

    def handlers(self, *, with_output: bool) -> dict[int, Callable[[], object]]:
        """What to call when a descriptor can be read."""
        found: dict[int, Callable[[], object]] = {}
        if self._reports is not None and self._reports.is_open:
            found[self._reports.fd] = self._hear_reports
        if with_output:
            found.update((relay.fd, relay.pump) for relay in self._relays if relay.is_open)
        return found

    def advance(self, now: float) -> None:
        """Holds the deadline: a cell is interrupted first, and what doesn't settle is killed."""
        if self._end is not None or now < self.due:
            return
        if self._interrupted is None:
            self._stop({"end": "timeout"}, now)
        else:
            self.lose(self._interrupted)

    def cancel(self, now: float) -> None:
        """Ends it as if its deadline had come."""
        if self._interrupted is None and self._end is None:
            self._stop({"end": "cancel"}, now)

    def interrupt(self) -> None:
        """Interrupts a cell; what becomes of it is the code's affair."""
        if self.process is not None and not self.is_copy:
            process_tree.send_signal(self.process.pid, SIGINT)

    def kill(self) -> None:
        """Kills what carries it out."""
        if self._is_in_copy:
            if self.pid:
                process_tree.kill_tree(self.pid)
        elif self.process is not None:
            self.process.kill()

    def lose(self, ending: Ending) -> None:
        """Ends it together with the process that carries it out."""
        self.kill()
        if self._end is not None:
            return  # it had ended before its process did
        if not self._is_in_copy and self.process is not None:
            self.process.is_told = True
        self._end = ending if self._is_in_copy else {**ending, "lost": 1}

    def note_loss(self, process: HostedProcess, ending: Ending) -> None:
        """Takes note that a session process has ended: with it ends its cell, and a copy that it has not made yet."""
        if self.process is not process:
            return
        if not self.is_copy:
            self.lose(ending)
        elif self._end is None:
            self._hear_reports()

    def note_end(self, pid: int, exit_code: int) -> None:
        """Takes note of a process that has ended, which may be the copy that carries it out."""
        if self.is_copy and pid == self.pid and self._end is None:
            self._hear_reports()
            self._end = {"end": "exit", "exit_code": exit_code}

    def report(self, now: float) -> None:
        """Sends the last of its output and how it ended, and lets go of all that belonged to it."""
        if self._has_written_nothing():
            self._findings["unwritten"] = 1
        if self.is_copy and self.pid:
            below = process_tree.kill_tree(self.pid)
            process_tree.wait_until_gone(below, GONE_SECONDS)
        drain(self._relays)
        send_tails(self._relays, lambda kind, tail: self._send(self._identity, kind, tail))
        end = self._end or {}
        found = self._place.findings(is_failure=end.get("exit_code") not in (b"0", 0))
        fields: dict[str, wire.Value] = {**self._findings, **found, **end}
        fields["duration_ms"] = round((now - self._started_at) * 1000)
        if self.operation == "variables" and self.process is not None:
            fields["memory"] = process_tree.memory_of(self.process.pid)
        self._send(self._identity, wire.ENDED, wire.pack_fields(fields))
        self.remove_files()

    def _has_written_nothing(self) -> bool:
        """Whether it is known that no file has been written to."""
        pid = self.pid if self._is_in_copy or self.process is None else self.process.pid
        if pid == 0 or process_tree.descendants_of(pid):
            return False
        return process_tree.bytes_written(pid) == self._written_before >= 0

    def remove_files(self) -> None:
        """Lets go of a copy's pipes and folder. A fork that comes about later finds nobody, and ends."""
        if self._link is not None and self._link is not self.forked_link:
            for fd in (self._link.reports[0], self._link.output[0], self._link.errors[0]):
                os.close(fd)
            if self.forked_orders >= 0:
                os.close(self.forked_orders)
        if self._folder is not None:
            self._folder.remove()

    def _order(self, script: str, folder: RunFolder) -> dict[str, object]:
        fields = self._fields
        stdin = fields.get("stdin", b"")
        return {
            "op": self.operation,
            "code": fields["code"],
            "script": script,
            "cwd": os.fsdecode(fields["cwd"]),
            "temp": folder.path,
            "stdin": folder.store_input(stdin) if stdin else "",
            "files": fields.get("files", b""),
            "result_chars": int(fields["result_chars"]),
            "bindings": fields.get("bindings", b""),
            "json_bytes": int(fields["json_bytes"]),
        }

    def _order_copy(self, process: HostedProcess) -> None:
        link = self._link = Link()
        self._listen(link)
        script, folder = "", process.folder
        passed = [link.reports[1], link.output[1], link.errors[1]]
        try:
            if self.is_copy:
                folder = self._folder = RunFolder(self._place.folder)
                script = folder.create(self._fields["code"])
            else:
                self.forked_orders, theirs = OrderChannel.pair()
                passed.insert(0, theirs)
            process.orders.send(self._order(script, folder), tuple(passed))
        finally:
            for fd in (*passed, *link.orders):
                os.close(fd)

    def _listen(self, link: Link) -> None:
        bounds = (int(self._fields["forward_bytes"]), int(self._fields["tail_bytes"]))
        longest = MAX_REPORT_BYTES + int(self._fields["json_bytes"])
        self._reports = ReportReader(link.reports[0], longest + MAX_BYTES_IN_ALL, longest)
        identity, send = self._identity, self._send
        self._displays = DisplayReader(lambda fields: send(identity, wire.DISPLAY, fields))
        self._relays = [
            Relay(link.output[0], *bounds, lambda data: send(identity, wire.STDOUT, data)),
            Relay(link.errors[0], *bounds, lambda data: send(identity, wire.STDERR, data)),
        ]

    def _stop(self, ending: Ending, now: float) -> None:
        if self._is_in_copy:
            self.lose(ending)
            return
        self._interrupted = ending
        self.due = now + GRACE_SECONDS
        self.interrupt()

    def _hear_reports(self) -> None:
        if self._reports is None:
            return
        for report in self._reports.read():
            if self._displays is not None:
                self._displays.take(report)
            for name, longest in self._longest.items():
                if name in report:
                    self._findings[name] = report[name][:longest]
            if "pid" in report:
                self._know(report["pid"])
            if "refused" in report or "error" in report:
                self._end = {"end": "exit", "exit_code": -1}
            elif report.get("exit_code") in EXIT_CODES and self._end is None:
                self._settle(report["exit_code"])
        if self._is_in_copy and not self._reports.is_open and self._end is None and self.pid == 0:
            self._findings["refused"] = _NO_COPY
            self._end = {"end": "exit", "exit_code": -1}

    def _know(self, pid: bytes) -> None:
        # a session can name only what has come from it; that becomes ours when the process between them has ended
        if self.pid == 0 and pid.isdigit() and self.process is not None:
            found = int(pid)
            # twice: the process between them may end while the tree is walked
            if found != self.process.pid and any(
                found in process_tree.descendants() for _ in range(2)
            ):
                self.pid = found

    def _settle(self, exit_code: bytes) -> None:
        if self._interrupted is not None:
            self._end = {**self._interrupted, "exit_code": exit_code, "settled": 1}
        else:
            self._end = {"end": "exit", "exit_code": exit_code}
        if self.operation == "fork" and self.pid:
            self.forked_link = self._link
