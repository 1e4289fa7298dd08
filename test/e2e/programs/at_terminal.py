"""Starts a program as a person would, at a terminal, and presses Ctrl-C once it has said something.

    python at_terminal.py PROGRAM ARGUMENTS…

Its stdin is the terminal; stdout and stderr are kept apart. Prints a JSON object with both, and with whether it ended.
"""

from __future__ import annotations

import json
import os
import pty
import signal
import sys
import tempfile
import time
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Callable

PATIENCE_SECONDS = 30
CTRL_C = b"\x03"


def eventually(holds: Callable[[], bool]) -> bool:
    """Waits until something holds; returns whether it came to that."""
    give_up_at = time.monotonic() + PATIENCE_SECONDS
    while not holds():
        if time.monotonic() > give_up_at:
            return False
        time.sleep(0.05)
    return True


def main(command: list[str]) -> dict[str, object]:
    """Runs the command; returns what it wrote and whether it ended."""
    with tempfile.TemporaryFile() as stdout, tempfile.TemporaryFile() as stderr:
        pid, terminal = pty.fork()
        if pid == 0:
            os.dup2(stdout.fileno(), sys.stdout.fileno())
            os.dup2(stderr.fileno(), sys.stderr.fileno())
            os.execvp(command[0], command)
        spoke = eventually(lambda: os.fstat(stderr.fileno()).st_size > 0)
        os.write(terminal, CTRL_C)
        ended = eventually(lambda: os.waitpid(pid, os.WNOHANG)[0] == pid)
        if not ended:
            os.kill(pid, signal.SIGKILL)
        for stream in (stdout, stderr):
            stream.seek(0)
        texts = {"stdout": stdout.read().decode(), "stderr": stderr.read().decode()}
        return {**texts, "spoke": spoke, "ended": ended}


print(json.dumps(main(sys.argv[1:])))
