"""Carries what a run shows from its process to whoever supervises it.

A display is sent in pieces that each reach a pipe whole (pipe(7), PIPE_BUF), each with the display's number and its place
in it. So a signal handler may raise in the middle of a display, which then has no end and is dropped, or show something
itself.
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
MAX_BYTES = limits.RUN_BYTES + 1024 * 1024
#: What reports of all displays of a run may take.
MAX_BYTES_IN_ALL = 2 * limits.RUN_BYTES
#: Displays that have begun and not ended: one, but for what signal handlers have interrupted.
_MAX_BEGUN = 16


class DisplaySender:
    """In the run's process: sends displays through the pipe for reports."""

    def __init__(self, reports: int) -> None:
        self._reports = reports
        self._count = 0
        self._room = os.fpathconf(reports, "PC_PIPE_BUF") - _OVERHEAD

    def __call__(self, kind: str, fields: dict[str, Any]) -> None:
        """Sends a display, an update or a note; see `display.shown.begin`. Raises nothing of its own."""
        self._count += 1
        number = self._count
        payload = _payload(kind, fields)
        for start in range(0, len(payload), self._room):
            end = start + self._room
            piece: dict[str, wire.Value] = {"display": number, "at": start}
            if end >= len(payload):
                piece["last"] = 1
            piece["piece"] = payload[start:end]
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
        self._begun: dict[bytes, list[bytes]] = {}
        """Pieces by the display's number, the oldest first."""
        self._size = 0

    def take(self, report: dict[str, bytes]) -> None:
        """Takes a report, which may be a piece of a display."""
        number = report.get("display")
        if number is None:
            return
        pieces = self._begun.get(number)
        if pieces is None:
            if report.get("at") != b"0":
                return  # of one that was dropped
            pieces = self._begin(number)
        piece = report.get("piece", b"")
        self._size += len(piece)
        pieces.append(piece)
        if self._size > MAX_BYTES:
            self._begun.clear()
            self._size = 0
        elif "last" in report:
            self._drop(number)
            self._forward(b"".join(pieces))

    def _begin(self, number: bytes) -> list[bytes]:
        if len(self._begun) >= _MAX_BEGUN:
            self._drop(next(iter(self._begun)))
        pieces = self._begun[number] = []
        return pieces

    def _drop(self, number: bytes) -> None:
        self._size -= sum(map(len, self._begun.pop(number)))
