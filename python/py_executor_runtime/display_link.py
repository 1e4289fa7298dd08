"""Carries what a run shows from its process to whoever supervises it.

A display is sent in pieces that each reach a pipe whole (pipe(7), PIPE_BUF): an exception that a signal handler raises in
the middle of a display leaves a display without an end, which is dropped, and the pieces after it are still told apart.
"""

from __future__ import annotations

import os
from os import write  # as it is before a script can replace it

from . import wire
from .display import limits

TYPE_CHECKING = False  # typing itself takes longer to import than a run takes
if TYPE_CHECKING:
    from typing import Any, Callable

#: What names and lengths take of a piece: see `wire.pack_fields`, and a length before it.
_OVERHEAD = 100
#: All that one display may be: what the run's process sees to is not to be relied on.
_MAX_BYTES = limits.RUN_BYTES + 1024 * 1024
#: What reports of all displays of a run may take.
MAX_BYTES_IN_ALL = 2 * limits.RUN_BYTES


class DisplaySender:
    """In the run's process: sends displays through the pipe for reports."""

    def __init__(self, reports: int) -> None:
        self._reports = reports
        self._count = 0
        self._room = os.fpathconf(reports, "PC_PIPE_BUF") - _OVERHEAD

    def __call__(self, kind: str, fields: dict[str, Any]) -> None:
        """Sends a display, an update or a note; see `display.shown.begin`. Raises nothing of its own."""
        self._count += 1
        payload = _payload(kind, fields)
        for start in range(0, len(payload), self._room):
            end = start + self._room
            piece: dict[str, wire.Value] = {"display": self._count, "piece": payload[start:end]}
            if end >= len(payload):
                piece["last"] = 1
            data = wire.pack_fields(piece)
            try:
                write(self._reports, len(data).to_bytes(4, "big") + data)
            except OSError:
                return  # the code has closed it


def _payload(kind: str, fields: dict[str, Any]) -> bytes:
    """A DISPLAY frame's fields: `kind`, `source`, `display_id`, `text` of a note, `metadata` and `notes` as JSON; then
    what is shown, each under its MIME type behind `=` for text, `:` for bytes, and `+` for an original."""
    sent: dict[str, wire.Value] = {"kind": kind}
    for name in ("source", "display_id", "text"):
        if name in fields:
            sent[name] = str(fields[name])
    for name in ("metadata", "notes"):
        if fields.get(name):
            sent[name] = _json(fields[name])
    for mime, content in fields.get("data", {}).items():
        sent[(":" if isinstance(content, bytes) else "=") + mime] = content
    for mime, content in fields.get("originals", {}).items():
        sent[f"+{mime}"] = content
    return wire.pack_fields(sent)


def _json(value: object) -> str:
    try:
        import json

        return json.dumps(value)
    except Exception:
        return ""  # the code has a `json` of its own


class DisplayReader:
    """Where a run is supervised: puts displays together again. None of it is trusted: it may come from the code itself."""

    def __init__(self, forward: Callable[[bytes], None]) -> None:
        """Calls `forward` with each display's fields, as the payload of a DISPLAY frame."""
        self._forward = forward
        self._current = b""
        self._pieces: list[bytes] = []
        self._size = 0

    def take(self, report: dict[str, bytes]) -> None:
        """Takes a report, which may be a piece of a display."""
        number = report.get("display")
        if number is None:
            return
        if number != self._current:
            self._current = number
            self._pieces.clear()
            self._size = 0
        piece = report.get("piece", b"")
        self._size += len(piece)
        if self._size > _MAX_BYTES:
            self._pieces.clear()
            return
        self._pieces.append(piece)
        if "last" in report:
            self._forward(b"".join(self._pieces))
            self._pieces.clear()
            self._size = 0
