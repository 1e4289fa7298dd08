"""What connects a supervisor and its runner: four pipes, and the messages on two of them."""

from __future__ import annotations

import marshal
import os

from . import wire

#: F_SETPIPE_SZ (fcntl(2)): fewer wake-ups for a run that writes much. What isn't granted isn't needed.
F_SETPIPE_SZ = 1031
OUTPUT_PIPE_BYTES = 1024 * 1024
#: What a process can end with of its own will (exit(3)), as it is reported.
EXIT_CODES = frozenset(str(code).encode() for code in range(256))
#: All reports of a run together hold its result, names of imports and a few numbers; a list as JSON comes on top.
MAX_REPORT_BYTES = 4 * 1024 * 1024
#: Read at once, before the deadline and the output are looked after again; as much as a pipe may hold (pipe(7)).
_READ_BYTES = 1024 * 1024


class Task:
    """What the runner has to know of a run.

    Attributes:
        code: UTF-8 text.
        script: path of the file that holds the code.
        cwd: the working directory.
        temp: the run's own folder for temporary files.
        result_chars: the longest repr of the last value.
        bindings: a JSON object of names that the code finds bound; empty for none.
        json_bytes: the longest JSON of a list that the code ends in; 0 if it isn't wanted.
        stdin: path of a file to read from; empty for no input.
    """

    def __init__(
        self,
        code: bytes,
        script: str,
        cwd: str,
        temp: str,
        result_chars: int,
        bindings: bytes = b"",
        json_bytes: int = 0,
        stdin: str = "",
    ) -> None:
        self.code = code
        self.script = script
        self.cwd = cwd
        self.temp = temp
        self.result_chars = result_chars
        self.bindings = bindings
        self.json_bytes = json_bytes
        self.stdin = stdin


class Link:
    """Both ends of the pipes between a supervisor and the runner that it is about to fork, all closed on exec(2).

    Attributes:
        orders: the task, from the supervisor.
        reports: how the script ended, from the runner. Whatever comes here could be forged by the code, and is no more
            than the code could have brought about anyway: an exit code and the text of a value.
        output: what is written to stdout.
        errors: what is written to stderr.
    """

    def __init__(self) -> None:
        self.orders = os.pipe()
        self.reports = os.pipe()
        self.output = os.pipe()
        self.errors = os.pipe()
        for pipe in (self.output, self.errors):
            _widen(pipe[1])
        for pipe in (self.reports, self.output, self.errors):
            os.set_blocking(pipe[0], False)

    def keep_supervisor_ends(self) -> None:
        """Closes the ends that are the runner's."""
        for fd in (self.orders[0], self.reports[1], self.output[1], self.errors[1]):
            os.close(fd)

    def close_supervisor_ends(self) -> None:
        """Closes what `keep_supervisor_ends` has left. A pipe is never used for a second run: the first may have kept
        hold of it, or changed its mode."""
        for fd in (self.orders[1], self.reports[0], self.output[0], self.errors[0]):
            os.close(fd)

    def keep_runner_ends(self) -> None:
        """Closes the ends that are the supervisor's."""
        self.close_supervisor_ends()


def send_task(orders: int, task: Task) -> None:
    """Tells the runner to begin."""
    data = marshal.dumps(vars(task))
    wire.write_all(orders, len(data).to_bytes(4, "big") + data)


def receive_task(orders: int) -> Task | None:
    """Waits for the task; None if the supervisor is gone."""
    header = wire.read_exactly(orders, 4)
    data = wire.read_exactly(orders, int.from_bytes(header, "big"))
    if len(header) < 4 or not data:
        return None
    return Task(**marshal.loads(data))


def send_report(reports: int, fields: dict[str, wire.Value]) -> None:
    """Reports to the supervisor; silent if the code has closed the descriptor."""
    payload = wire.pack_fields(fields)
    try:
        wire.write_all(reports, len(payload).to_bytes(4, "big") + payload)
    except OSError:
        pass


class ReportReader:
    """Collects what comes from the runner. None of it is trusted: it may come from the code itself."""

    def __init__(
        self, fd: int, max_bytes: int = MAX_REPORT_BYTES, longest: int = MAX_REPORT_BYTES
    ) -> None:
        """Reads from a descriptor: `max_bytes` in all, and no report that is longer than `longest`."""
        self.fd = fd
        self.is_open = True
        self._data = bytearray()
        self._longest = longest
        self._room = max_bytes

    def read(self) -> list[dict[str, bytes]]:
        """The reports that are complete by now, or the first of them. Beyond the limit in all nothing more is read."""
        until = self._room - _READ_BYTES
        while self.is_open and self._room > until:
            try:
                part = os.read(self.fd, 65536)
            except BlockingIOError:
                break
            self._data += part
            self._room -= len(part)
            self.is_open = bool(part) and self._room > 0
        return self._take()

    def _take(self) -> list[dict[str, bytes]]:
        reports: list[dict[str, bytes]] = []
        start = 0
        while start + 4 <= len(self._data):
            end = start + 4 + int.from_bytes(self._data[start : start + 4], "big")
            if end - start > self._longest:
                self.is_open = False
                return reports
            if end > len(self._data):
                break
            try:
                reports.append(wire.unpack_fields(bytes(self._data[start + 4 : end])))
            except ValueError:
                pass  # no report of ours
            start = end
        del self._data[:start]
        return reports


def _widen(pipe: int) -> None:
    import fcntl

    try:
        fcntl.fcntl(pipe, F_SETPIPE_SZ, OUTPUT_PIPE_BYTES)
    except OSError:
        pass
