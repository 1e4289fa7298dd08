"""A process that is a session, for the tests of sessions."""

from __future__ import annotations

import json
import subprocess
import sys
from dataclasses import dataclass
from pathlib import Path
from typing import Any

PYTHON_FOLDER = Path(__file__).resolve().parents[2] / "python"

#: What every test's process begins with: a session, `cell` to run code in it, and `tell` for what the test looks at.
PRELUDE = """
import builtins, json, os, sys, time
_runtime, _folder = sys.argv[1:3]
sys.path.insert(0, _runtime)
from py_executor_runtime import finish, libc
from py_executor_runtime.runner import new_main_module
from py_executor_runtime.session import Session
libc.load()
sys.stdin = open(os.devnull)
told = open(_folder + "/told", "a", buffering=1)
session = Session(new_main_module(_folder + "/cell1.py"))
count = 0

def cell(code):
    global count
    count += 1
    path = f"{_folder}/cell{count}.py"
    with open(path, "w", encoding="utf-8") as file:
        file.write(code)
    ending = session.run_cell(code.encode(), path)
    text = None if ending.value is None else session.represent(ending.value, 200)[0]
    ending.value = None
    return [ending.exit_code, ending.is_interrupt, text]

def tell(what):
    told.write(json.dumps(what) + "\\n")

def interrupt_when_ready():
    "Once code has called ready(). From another process: this one's threads are what some tests look at."
    parent = os.getpid()
    hears, says = os.pipe()
    pid = os.fork()
    if pid == 0:
        os.read(hears, 1)
        time.sleep(0.1)  # what follows ready() has begun, however busy the machine is, or is about to
        os.kill(parent, 2)
        os._exit(0)
    builtins.ready = lambda: os.write(says, b"1")

def in_copy(work):
    "Runs work() in a forked copy of the session that ends as a run does."
    pid = os.fork()
    if pid == 0:
        session.after_fork()
        finish.remember_modules()
        work()
        finish.end_process(Ending(0), None)
    os.waitpid(pid, 0)

from py_executor_runtime.script import Ending
"""


@dataclass
class Done:
    """What a process has told, and written."""

    told: list[Any]
    out: str
    err: str


def drive(folder: Path, body: str) -> Done:
    program = folder / "driver.py"
    program.write_text(PRELUDE + body, encoding="utf-8")
    done = subprocess.run(
        [sys.executable, "-u", "-W", "ignore", program, PYTHON_FOLDER, folder],
        check=False,
        capture_output=True,
        encoding="utf-8",
        timeout=60,
    )
    told = folder / "told"
    lines = told.read_text("utf-8").splitlines() if told.exists() else []
    assert done.returncode == 0, done.stderr
    return Done([json.loads(line) for line in lines], done.stdout, done.stderr)


def run_cells(folder: Path, *codes: str) -> Done:
    """Runs the cells; what is told of each is its exit code, whether it was interrupted, and its value's repr."""
    return drive(folder, "".join(f"tell(cell({code!r}))\n" for code in codes))


def value(text: str | None) -> list[Any]:
    return [0, False, text]
