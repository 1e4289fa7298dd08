"""Becomes the user's `python file.py`: waits for a task, makes the process look fresh, runs the script, ends as it must.

This process is the one that the user's code lives in. Everything it reports could be forged by that code; what it can't
touch is in the supervisor.
"""

from __future__ import annotations

import os
import sys
from types import ModuleType
from typing import Any

from . import finish, script
from .bounded_repr import bounded_repr
from .link import Link, Task, receive_task, send_report

#: Reports go through a descriptor that is out of the way, so that a script's own first file is number 3 as usual.
REPORTS_FD = 511
LIBRARY_FOLDER = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
OWN_PACKAGE = __name__.rpartition(".")[0]


def run(link: Link) -> None:
    """Runs one task and ends the process; returns only if the supervisor is gone, else ends by SystemExit or at once."""
    os.setsid()  # no controlling terminal: nothing can prompt the person who started the server
    task = receive_task(link.orders[0])
    if task is None:
        return
    reports = _take_over_descriptors(link)
    try:
        os.chdir(task.cwd)
    except OSError as error:
        send_report(reports, {"error": f"cwd: {error.strerror}: {task.cwd}", "exit_code": 1})
        os._exit(1)
    pid = os.getpid()
    _look_fresh(task)
    ending = script.run(task.code, task.script, _new_main_module(task.script))
    if ending.value is not None and os.getpid() == pid:
        text, is_cut = bounded_repr(ending.value, task.result_bytes)
        send_report(reports, {"result": text, "result_truncated": int(is_cut)})
        ending.value = None
    finish.end_process(ending, reports if os.getpid() == pid else None)


def _take_over_descriptors(link: Link) -> int:
    os.dup2(link.output[1], 1)
    os.dup2(link.errors[1], 2)
    # not inheritable: a program that the script starts has no use for it
    os.dup2(link.reports[1], REPORTS_FD, inheritable=False)
    for fd in (link.output[1], link.errors[1], link.reports[1], link.orders[0]):
        os.close(fd)
    return REPORTS_FD


def _look_fresh(task: Task) -> None:
    """Makes the interpreter look as if it had just been started with the script."""
    sys.argv = [task.script]
    if hasattr(sys, "orig_argv"):  # Python 3.10
        sys.orig_argv = [sys.executable, "-u", task.script]
    sys.path[0] = task.cwd
    sys.path.append(LIBRARY_FOLDER)  # `py_executor`, unless the user has a module of that name
    os.environ["TMPDIR"] = task.temp
    for name in [name for name in sys.modules if name.partition(".")[0] == OWN_PACKAGE]:
        del sys.modules[name]
    finish.remember_modules()


def _new_main_module(path: str) -> ModuleType:
    """A `__main__` as the interpreter makes it for a script: the names it has, in their order."""
    original = sys.modules["__main__"]
    module = ModuleType("__main__")
    names: dict[str, Any] = {name: None for name in vars(original) if name in _NAMES_OF_A_MAIN_MODULE}
    names["__name__"] = "__main__"
    names["__loader__"] = type(original.__loader__)("__main__", path)  # pyright: ignore
    names["__builtins__"] = vars(original)["__builtins__"]
    names["__file__"] = path
    if "__annotations__" in names:  # up to Python 3.13
        names["__annotations__"] = {}
    vars(module).clear()
    vars(module).update(names)
    sys.modules["__main__"] = module
    return module


_NAMES_OF_A_MAIN_MODULE = (
    "__name__",
    "__doc__",
    "__package__",
    "__loader__",
    "__spec__",
    "__annotations__",
    "__builtins__",
    "__file__",
    "__cached__",
)
