"""Becomes the user's `python file.py`: waits for a task, makes the process look fresh, runs the script, ends as it must.

This process is the one that the user's code lives in. Everything it reports could be forged by that code; what it can't
touch is in the supervisor.
"""

from __future__ import annotations

import os
import sys
from os import getpid  # as it is before a script can replace it
from types import ModuleType

from . import display, finish, script, wire
from .bounded_repr import bounded_repr
from .display_link import DisplaySender
from .fresh import look_fresh
from .link import Link, receive_task, send_report
from .run_folder import open_input

TYPE_CHECKING = False  # typing itself takes longer to import than a run takes
if TYPE_CHECKING:
    from typing import Any

_original_main = sys.modules["__main__"]
#: Reports go through a descriptor that is out of the way, so that a script's own first file is number 3 as usual.
REPORTS_FD = 511


def run(link: Link) -> None:
    """Runs one task and ends the process; returns only if the supervisor is gone, else ends by SystemExit or at once."""
    os.setsid()  # no controlling terminal: nothing can prompt the person who started the server
    rehearse()
    task = receive_task(link.orders[0])
    if task is None:
        return
    reports = _take_over_descriptors(link, task.stdin)
    if task.bindings or task.json_bytes:
        from . import json_values
    else:
        json_values = None
    os.chdir(task.cwd)
    pid = getpid()
    finish.remember_modules(are_noted=look_fresh(task))
    display.begin(DisplaySender(reports))
    bindings = json_values.decode_bindings(task.bindings) if json_values and task.bindings else {}
    # nothing here keeps hold of the module, so that it goes at the script's end as it does in any interpreter
    ending = script.run(task.code, task.script, new_main_module(task.script, bindings))
    del bindings
    if getpid() == pid:  # and not in a process that the script has forked
        if json_values is not None and task.json_bytes and ending.exit_code == 0:
            send_report(reports, json_values.describe_list(ending.value, task.json_bytes))
        display.show_result(ending.value)
        _report(reports, ending, task.result_chars)
    ending.value = None
    finish.end_process(ending, reports if getpid() == pid else None)


def rehearse() -> None:
    """Runs a script that does nothing, so that the pages which any script touches are copied before one is waited for.

    After a fork the first write to each page costs a copy of it (copy-on-write, fork(2)), and merely looking at an
    object writes its reference count.
    """
    output = os.dup(1)
    nowhere = os.open(os.devnull, os.O_WRONLY)
    os.dup2(nowhere, 1)
    module = new_main_module("rehearsal")
    script.run(b"print('')\nNone", "rehearsal", module)
    finish.rehearse()
    os.dup2(output, 1)
    os.close(output)
    os.close(nowhere)
    sys.modules["__main__"] = _original_main


def _report(reports: int, ending: script.Ending, limit: int) -> None:
    fields: dict[str, wire.Value] = {}
    if ending.value is not None:
        text, is_cut = bounded_repr(ending.value, limit)
        fields = {"result": text, "result_truncated": int(is_cut)}
    imports = finish.new_packages()
    if imports:
        fields["imports"] = ",".join(imports)
    if ending.denial:
        fields["denial"] = ending.denial
    if fields:
        send_report(reports, fields)


def _take_over_descriptors(link: Link, stdin: str) -> int:
    open_input(stdin)
    os.dup2(link.output[1], 1)
    os.dup2(link.errors[1], 2)
    # not inheritable: a program that the script starts has no use for it
    reports = min(REPORTS_FD, os.sysconf("SC_OPEN_MAX") - 1)
    os.dup2(link.reports[1], reports, inheritable=False)
    for fd in (link.output[1], link.errors[1], link.reports[1], link.orders[0]):
        os.close(fd)
    return reports


def new_main_module(path: str, bindings: dict[str, Any] | None = None) -> ModuleType:
    """A `__main__` as the interpreter makes it for a script: the names it has, in their order, and then the bindings."""
    original = _original_main
    module = ModuleType("__main__")
    names: dict[str, Any] = {
        name: None for name in vars(original) if name in _NAMES_OF_A_MAIN_MODULE
    }
    names["__name__"] = "__main__"
    names["__loader__"] = type(original.__loader__)("__main__", path)  # pyright: ignore[reportCallIssue]
    names["__builtins__"] = vars(original)["__builtins__"]
    names["__file__"] = path
    if "__annotations__" in names:  # up to Python 3.13
        names["__annotations__"] = {}
    vars(module).clear()
    vars(module).update(names)
    vars(module).update(bindings or {})
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
