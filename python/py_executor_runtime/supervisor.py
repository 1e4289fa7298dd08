"""Owns one run: carries its output, holds its deadline, ends all that it started, and reports the truth.

A supervisor never runs the user's code and imports nothing of theirs. It lives in a process of its own, so that a crash
of the code is seen from outside, and adopts orphans, so that no daemon gets away. Only the connection to the server
carries results, and the run holds no descriptor of it.
"""

from __future__ import annotations

import math
import os
import select
import time

from . import input_files, process_tree, wire
from .containment.open_place import OpenPlace
from .display_link import MAX_BYTES_IN_ALL, DisplayReader
from .link import EXIT_CODES, MAX_REPORT_BYTES, Link, ReportReader, Task, send_task
from .relay import Relay, drain, send_tails
from .run_folder import RunFolder

TYPE_CHECKING = False  # typing itself takes longer to import than a run takes
if TYPE_CHECKING:
    from typing import Callable

AGAIN, SESSIONS, OVER = "again", "sessions", "over"
#: Output is sent on after a moment without more of it, or when it is this much: a snippet's few lines and its end then
#: travel together, and wake the server once.
COLLECT_SECONDS = 0.001
COLLECT_BYTES = 64 * 1024
#: What the runner says in one word.
LONGEST_WORD = 32
#: Output that the server has not taken yet; beyond it the run has to wait for its pipe.
MAX_UNSENT_BYTES = 4 * 1024 * 1024
#: Where the kernel can't announce the end of a child (pidfd_open(2)), it is looked for this often.
REAP_INTERVAL_SECONDS = 0.02


class Request:
    """What the server asks for: the fields of a RUN frame.

    Attributes:
        code: UTF-8 text.
        cwd: the working directory.
        timeout: seconds.
        forward_bytes: output of each stream that is forwarded whole.
        tail_bytes: how much of the end is kept when there is more.
        result_chars: the longest repr of the last value.
        bindings: a JSON object of names that the code finds bound; empty for none.
        json_bytes: the longest JSON of a list that the code ends in; 0 if it isn't wanted.
        stdin: what the code reads from standard input.
        files: what is to be there when the code begins; see `input_files`.
    """

    def __init__(self, fields: dict[str, bytes]) -> None:
        """Raises KeyError or ValueError if a field is missing or is no number."""
        self.code = fields["code"]
        self.cwd = os.fsdecode(fields["cwd"])
        self.timeout = float(fields["timeout"])
        self.forward_bytes = int(fields["forward_bytes"])
        self.tail_bytes = int(fields["tail_bytes"])
        self.result_chars = int(fields["result_chars"])
        self.bindings = fields.get("bindings", b"")
        self.json_bytes = int(fields.get("json_bytes", b"0"))
        self.stdin = fields.get("stdin", b"")
        self.files = fields.get("files", b"")


def supervise(connection: int, runner: int, link: Link, folder: RunFolder, place: OpenPlace) -> str:
    """Says that it is ready, waits for the request, carries it out and cleans up.

    The server can tell a run that never began: a connection that is closed before its request was read ends with an
    error (ECONNRESET), and not as one that is closed in order.

    Args:
        connection: descriptor of the connection to the server.
        runner: process id of the forked runner, which waits for its task.
        link: the pipes to the runner, the supervisor's ends open.
        folder: the run's folder.
        place: where the run is confined.

    Returns:
        When nothing of the run is left: what is to follow here, one of AGAIN (another run), SESSIONS (the server wants
        the place for sessions) and OVER.
    """
    run = None
    is_clean = False
    next_use = AGAIN
    try:
        os.set_blocking(connection, True)
        wire.write_all(connection, place.greeting)
        message = wire.read_frame(connection)
        if message is not None and message[0] == wire.RUN:
            request = Request(wire.unpack_fields(message[1]))
            run = _Run(connection, runner, link, request, place)
            if run.begin(lambda: send_task(link.orders[1], _task(request, folder))):
                run.follow()
            run.report()
        elif message is not None and message[0] == wire.SESSION:
            next_use = SESSIONS
    except OSError:
        run = None  # the server is gone, and with it whoever could be told
    finally:
        is_alone = run is not None and run.is_alone
        is_clean = (is_alone and process_tree.end_only_child(runner)) or process_tree.kill_all(
            runner
        )
        if not is_clean:
            os.write(2, b"a process of the run could not be killed\n")
        folder.remove()
    if next_use == SESSIONS:
        return SESSIONS if is_clean else OVER
    return AGAIN if is_clean and run is not None and run.has_server else OVER


def _task(request: Request, folder: RunFolder) -> Task:
    return Task(
        code=request.code,
        script=folder.create(request.code),
        stdin=folder.store_input(request.stdin) if request.stdin else "",
        cwd=request.cwd,
        temp=folder.path,
        result_chars=request.result_chars,
        bindings=request.bindings,
        json_bytes=request.json_bytes,
    )


class _Run:
    """The time between the start of a run and the report of its end."""

    def __init__(
        self, connection: int, runner: int, link: Link, request: Request, place: OpenPlace
    ) -> None:
        self._connection = connection
        self._runner = runner
        self._place = place
        self._watch = place.watch()
        self._next_look = math.inf
        self._cwd = request.cwd
        self._files = request.files
        longest = MAX_REPORT_BYTES + request.json_bytes
        self._reports = ReportReader(link.reports[0], longest + MAX_BYTES_IN_ALL, longest)
        self._displays = DisplayReader(lambda fields: self._send(wire.DISPLAY, fields))
        self._started_at = time.monotonic()
        self._deadline = self._started_at + request.timeout
        self._unsent = bytearray()
        self.has_server = True
        self.is_alone = False
        """Whether the run has ended, and nothing else was started by it."""
        longest = 4 * request.result_chars  # UTF-8 takes up to four bytes a character
        self._longest_findings = {
            "result": longest,
            "result_truncated": longest,
            "imports": longest,
            "denial": LONGEST_WORD,
            "json": request.json_bytes,
            "json_problem": longest,
        }
        self._findings: dict[str, wire.Value] = {}
        """What the runner reported besides its end."""
        self._is_reaped = False
        self._has_children = False
        """Whether the runner has children of its own; those of one that has ended are ours."""
        self._end: dict[str, wire.Value] | None = None
        bounds = (request.forward_bytes, request.tail_bytes)
        self._relays: list[Relay] = [
            Relay(link.output[0], *bounds, lambda data: self._send(wire.STDOUT, data)),
            Relay(link.errors[0], *bounds, lambda data: self._send(wire.STDERR, data)),
        ]
        os.set_blocking(connection, False)

    def begin(self, send_task: Callable[[], None]) -> bool:
        """Hands the task over; if that fails, that is how the run ends.

        The folder is tried here, because what the runner says could come from the code.
        """
        try:
            os.chdir(self._cwd)
            if self._files:
                input_files.write(self._files)
            os.chdir("/")
            send_task()
        except OSError as error:
            self._end = {"end": "exit", "error": str(error)}
            return False
        return True

    def follow(self) -> None:
        """Returns when the run has ended by itself, by its deadline, or because the server went away."""
        exits = process_tree.exit_descriptor(self._runner)
        handlers: dict[int, Callable[[], object]] = {
            self._connection: self._hear_server,
            self._reports.fd: self._hear_runner,
            **{relay.fd: relay.pump for relay in self._relays},
        }
        if exits is not None:
            handlers[exits] = self._look_for_exit
        if self._watch is not None:
            self._next_look = self._started_at + self._watch.interval
        while self._end is None:
            wait = self._deadline - time.monotonic()
            if wait <= 0:
                self._end = {"end": "timeout"}
                break
            wait = min(wait, self._look_after())
            if self._unsent:
                wait = min(wait, COLLECT_SECONDS)
            elif exits is None:
                wait = min(wait, REAP_INTERVAL_SECONDS)
            # poll(2) takes whole milliseconds: rounded up, so as not to spin just before the deadline
            events = self._poller(exits).poll(math.ceil(wait * 1000))
            for fd, _ in events:
                handlers[fd]()
            if not events or len(self._unsent) > COLLECT_BYTES:
                self._flush()
            if exits is None and self._end is None:
                self._look_for_exit()
        if exits is not None:
            os.close(exits)

    def report(self) -> None:
        """Sends the last of the output and how the run ended, once nothing can add to it."""
        duration = time.monotonic() - self._started_at
        if self._end is None or not self.has_server:
            return
        if self._end["end"] == "exit" and self._is_without_family():
            self.is_alone = True
            if process_tree.bytes_written(self._runner) == 0:
                self._findings["unwritten"] = 1
        else:
            process_tree.kill_all(self._runner)
        drain(self._relays)
        send_tails(self._relays, self._send)
        is_failure = self._end.get("exit_code") not in (b"0", 0)
        fields = {**self._findings, **self._place.findings(is_failure=is_failure), **self._end}
        fields["duration_ms"] = round(duration * 1000)
        self._send(wire.ENDED, wire.pack_fields(fields))
        os.set_blocking(self._connection, True)
        try:
            wire.write_all(self._connection, bytes(self._unsent))
        except OSError:
            pass  # the server is gone; nobody is left to be told

    def _look_after(self) -> float:
        """Ends the run if all its processes together have outgrown a limit; returns the seconds until the next look."""
        now = time.monotonic()
        if self._watch is not None and now >= self._next_look:
            outgrown = self._watch.look()
            if outgrown:
                self._end = {"end": "limit", "limit": outgrown}
                return 0
            self._next_look = time.monotonic() + self._watch.interval
        return self._next_look - now

    def _is_without_family(self) -> bool:
        """Whether nothing else was started by the run, as far as it can be known: the runner may have lied."""
        if self._is_reaped or self._has_children or not process_tree.CAN_LIST_CHILDREN:
            return False
        return process_tree.children() == [self._runner]

    def _poller(self, exits: int | None) -> select.poll:
        poller = select.poll()
        wants_room = select.POLLOUT if len(self._unsent) > COLLECT_BYTES else 0
        poller.register(self._connection, select.POLLIN | wants_room)
        if exits is not None:
            poller.register(exits, select.POLLIN)
        if len(self._unsent) < MAX_UNSENT_BYTES:
            if self._reports.is_open:
                poller.register(self._reports.fd, select.POLLIN)
            for relay in self._relays:
                if relay.is_open:
                    poller.register(relay.fd, select.POLLIN)
        return poller

    def _hear_server(self) -> None:
        """Closing the connection is how the server cancels a run; nothing else is expected from it."""
        try:
            if os.read(self._connection, 65536):
                return
        except BlockingIOError:
            return
        except OSError:
            pass
        self._lose_server()

    def _lose_server(self) -> None:
        self.has_server = False
        self._end = {"end": "cancel"}
        self._unsent.clear()

    def _hear_runner(self) -> None:
        """The runner says that it is done a little before the kernel has taken its memory apart."""
        for report in self._reports.read():
            self._displays.take(report)
            for name, longest in self._longest_findings.items():
                if name in report:
                    self._findings[name] = report[name][:longest]
            if report.get("exit_code") in EXIT_CODES and self._end is None:
                self._end = {"end": "exit", "exit_code": report["exit_code"]}
                self._has_children = report.get("has_children") != b"0"

    def _look_for_exit(self) -> None:
        self._hear_runner()
        if self._end is not None:
            return  # it has said so itself, and is not reaped yet: there is more to be known of it
        pid, status = os.waitpid(self._runner, os.WNOHANG)
        if pid:
            self._is_reaped = True
            self._hear_runner()
            self._end = {"end": "exit", "exit_code": os.waitstatus_to_exitcode(status)}

    def _send(self, kind: bytes, payload: bytes) -> None:
        self._unsent += wire.frame(kind, payload)

    def _flush(self) -> None:
        while self._unsent:
            try:
                del self._unsent[: os.write(self._connection, self._unsent)]
            except BlockingIOError:
                return
            except OSError:
                self._lose_server()
