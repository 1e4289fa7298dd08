"""The server that py-executor is measured against: the plain way to do the same.

A snippet is written to a file and run by a fresh `python -u`; a batch is spread over four processes. Both tools have
the names and the main arguments of py-executor's, and answer with the same five keys. Needs `mcp` 2.x from PyPI.
"""

from __future__ import annotations

import json
import os
import subprocess
import sys
import tempfile
from concurrent.futures import ProcessPoolExecutor
from pathlib import Path
from typing import NamedTuple

from mcp.server.mcpserver import MCPServer

BATCH_PROCESSES = 4

server = MCPServer("plain-python-runner")


class Job(NamedTuple):
    """One snippet with all that is needed to run it, in a form that can be sent to another process."""

    code: str
    timeout: float
    cwd: str


def python_for(cwd: str) -> str:
    """Returns the interpreter of the folder's `.venv`, or else the one that runs this server."""
    venv = Path(cwd, ".venv")
    for python in (venv / "Scripts" / "python.exe", venv / "bin" / "python"):
        if python.exists():
            return str(python)
    return sys.executable


def run_job(job: Job) -> dict[str, object]:
    """Runs one snippet and says how it went."""
    python = python_for(job.cwd)
    handle, path = tempfile.mkstemp(prefix="snippet-", suffix=".py")
    try:
        with open(handle, "w", encoding="utf-8") as file:
            file.write(job.code)
        done = subprocess.run(
            [python, "-u", path],
            cwd=job.cwd,
            stdin=subprocess.DEVNULL,
            capture_output=True,
            timeout=job.timeout,
            check=False,
        )
        stdout, stderr, exit_code = done.stdout, done.stderr, done.returncode
    except subprocess.TimeoutExpired as late:
        stdout, exit_code = late.stdout or b"", -1
        stderr = f"Error: Process timed out after {job.timeout}s\n".encode()
    finally:
        os.remove(path)
    return {
        "stdout": stdout.decode("utf-8", "replace"),
        "stderr": stderr.decode("utf-8", "replace"),
        "exit_code": exit_code,
        "success": exit_code == 0,
        "executable": python,
    }


@server.tool()
def run_python(code: str, timeout: float = 30, cwd: str | None = None) -> str:
    """Runs one snippet in a fresh process."""
    return json.dumps(run_job(Job(code, timeout, cwd or os.getcwd())))


@server.tool()
def run_python_batch(
    codes: list[str],
    timeout: float = 30,
    max_workers: int = BATCH_PROCESSES,
    cwd: str | None = None,
) -> str:
    """Runs independent snippets in parallel, each in a fresh process."""
    jobs = [Job(code, timeout, cwd or os.getcwd()) for code in codes]
    with ProcessPoolExecutor(min(max_workers, BATCH_PROCESSES)) as pool:
        return json.dumps({"results": list(pool.map(run_job, jobs))})


if __name__ == "__main__":
    server.run()
