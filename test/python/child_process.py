"""A process of its own for code that changes its process: imports, ends, forks, adopts."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

PYTHON_FOLDER = Path(__file__).resolve().parents[2] / "python"

#: Without what the tests' own interpreter may have been told.
CLEAN = {name: value for name, value in os.environ.items() if not name.startswith("PYTHON")}

#: As `boot.py` begins: what is there already is nothing that was loaded ahead.
PRELUDE = f"""
import sys
MODULES_AT_START = frozenset(sys.modules)
sys.path.insert(1, {str(PYTHON_FOLDER)!r})
"""


def run_child(
    source: str, *arguments: str, cwd: Path | None = None, pass_fds: tuple[int, ...] = ()
) -> subprocess.CompletedProcess[str]:
    """Runs code in a new interpreter that can import the runtime, and waits for its end.

    Args:
        source: the code, which finds the arguments in sys.argv[1:].
        cwd: its working directory.
        pass_fds: descriptors that it inherits.
    """
    return subprocess.run(
        [sys.executable, "-c", PRELUDE + source, *arguments],
        check=False,
        capture_output=True,
        encoding="utf-8",
        errors="surrogateescape",
        cwd=cwd,
        env=CLEAN,
        pass_fds=pass_fds,
        stdin=subprocess.DEVNULL,
        timeout=60,
    )


def output_of(source: str, *arguments: str, cwd: Path | None = None) -> str:
    """What the code writes to stdout; it has to end well and say nothing else."""
    done = run_child(source, *arguments, cwd=cwd)
    assert (done.returncode, done.stderr) == (0, "")
    return done.stdout
