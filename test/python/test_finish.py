"""The end of a process, held to what the interpreter itself does at the end of a script."""

from __future__ import annotations

import os
import re
import signal
import subprocess
import sys
from pathlib import Path

import pytest
from child_process import CLEAN, output_of, run_child
from py_executor_runtime import wire

#: Runs the script in the file that the first argument names and ends as a runner does, with its reports on the
#: descriptor in the second argument.
RUN_AND_END = """
from os import getpid
from types import ModuleType
kept = sys.modules["__main__"]  # or this code's own names are gone with it
from py_executor_runtime import finish, libc, script
file, reports = sys.argv[1], int(sys.argv[2])
libc.load()
with open(file, "rb") as source:
    code = source.read()
pid = getpid()
finish.remember_modules()
module = sys.modules["__main__"] = ModuleType("__main__")
vars(module).update({"__builtins__": __builtins__, "__file__": file})
ending = script.run(code, file, module)
ending.value = None
del module  # nobody else may hold it, or it outlives what is in it
finish.end_process(ending, reports if getpid() == pid else None)
"""

Outcome = tuple[int, str, str]


def ended(code: str, folder: Path) -> tuple[Outcome, list[dict[str, bytes]]]:
    """How a script ends, and what is reported then."""
    file = folder / "snippet.py"
    file.write_text(code, encoding="utf-8")
    reading, writing = os.pipe()
    try:
        done = run_child(RUN_AND_END, str(file), str(writing), pass_fds=(writing,))
    finally:
        os.close(writing)
    with os.fdopen(reading, "rb") as stream:
        data = stream.read()
    reports: list[dict[str, bytes]] = []
    while data:
        end = 4 + int.from_bytes(data[:4], "big")
        reports.append(wire.unpack_fields(data[4:end]))
        data = data[end:]
    return outcome_of(done), reports


def ended_alone(code: str, folder: Path) -> Outcome:
    """How the interpreter ends the script."""
    file = folder / "snippet.py"
    file.write_text(code, encoding="utf-8")
    done = subprocess.run(
        [sys.executable, str(file)],
        check=False,
        capture_output=True,
        encoding="utf-8",
        env=CLEAN,
        stdin=subprocess.DEVNULL,
        timeout=60,
    )
    return outcome_of(done)


def outcome_of(done: subprocess.CompletedProcess[str]) -> Outcome:
    return done.returncode, done.stdout, re.sub("0x[0-9a-f]+", "0x…", done.stderr)


def report_of(exit_code: int, *, has_children: bool = False) -> list[dict[str, bytes]]:
    return [{"exit_code": b"%d" % exit_code, "has_children": b"%d" % has_children}]


ENDS = {
    "nothing": "",
    "output that is still in a buffer": "import sys\nsys.stdout.write('a')\nsys.stderr.write('b')",
    "an exit code": "raise SystemExit(7)",
    "an exit by a callback": "import atexit\natexit.register(lambda: 1 / 0)",
    "callbacks, the last one first": (
        "import atexit\nfor i in range(3):\n    atexit.register(print, i)"
    ),
    "a callback that registers another": (
        "import atexit\natexit.register(lambda: atexit.register(print, 'second'))"
    ),
    "threads that go on": (
        "import threading, time\n"
        "threading.Thread(target=lambda: (time.sleep(0.2), print('late'))).start()"
    ),
    "callbacks after threads": (
        "import atexit, threading, time\natexit.register(print, 'callback')\n"
        "threading.Thread(target=lambda: (time.sleep(0.2), print('thread'))).start()"
    ),
    "a thread that fails": "import threading\nthreading.Thread(target=lambda: print('up')).start()",
    "finalisers of globals": (
        "class A:\n    def __init__(s, n): s.n = n\n    def __del__(s): print('gone', s.n)\n"
        "a = A('a')\n_b = A('b')\nc = [A('c')]\nc.append(c)"
    ),
    "a finaliser that looks at a global": (
        "class A:\n    def __del__(s): print(other)\nother = 1\n_a = A()\na = A()"
    ),
    "a module that something else holds": (
        "import sys\nclass A:\n    def __init__(s, n): s.n = n\n"
        "    def __del__(s): print('gone', s.n)\na = A('a')\n_b = A('b')\n"
        "sys.held = sys.modules['__main__']"
    ),
    "finalisers after callbacks": (
        "import atexit\nclass A:\n    def __del__(s): print('gone')\na = A()\n"
        "atexit.register(print, 'callback')"
    ),
    "a module of its own": (
        "import sys, types\nm = types.ModuleType('m')\nsys.modules['m'] = m\n"
        "class A:\n    def __del__(s): print('gone')\nm.a = A()"
    ),
    "what is no module in sys.modules": (
        "import sys\nsys.modules['a'] = 3\nsys.modules['b'] = None\nsys.modules['c'] = [print]"
    ),
    "what is no name in sys.modules": "import sys\nsys.modules[3] = sys\nsys.modules[None] = 1",
    "sys.modules emptied": "import sys\nsys.modules.clear()",
    "sys.modules replaced": "import sys\nsys.modules = {}",
    "sys.modules set to None": "import sys\nsys.modules = None",
    "sys.modules deleted": "import sys\ndel sys.modules",
    "stdout closed": "import sys\nsys.stdout.close()",
    "stdout deleted": "import sys\ndel sys.stdout, sys.stderr, sys.stdin",
    "stdout deleted for good": "import sys\ndel sys.__stdout__, sys.__stderr__, sys.__stdin__",
    "stdout replaced": (
        "import io, sys\nkept = sys.stdout\nsys.stdout = io.StringIO()\nprint('lost')\nkept.write('x')"
    ),
    "os emptied": "import os\nfor name in list(vars(os)): delattr(os, name)",
    "a stream that can't be flushed": (
        "import os, sys\nsys.stdout.write('x' * 10)\nos.close(1)\nsys.exit(3)"
    ),
    "a daemon thread": (
        "import threading, time\n"
        "threading.Thread(target=time.sleep, args=(60,), daemon=True).start()\nraise SystemExit(5)"
    ),
    "an uncaught interrupt": "import atexit\natexit.register(print, 'x')\nraise KeyboardInterrupt",
    "an uncaught interrupt, handled by nobody": (
        "import signal\nsignal.signal(signal.SIGINT, signal.SIG_IGN)\nraise KeyboardInterrupt"
    ),
    "an uncaught error": "raise ValueError('no')",
    "output of the C library": "import ctypes\nctypes.CDLL(None).printf(b'from C')",
}


@pytest.mark.parametrize("code", [pytest.param(code, id=name) for name, code in ENDS.items()])
def test_ends_as_the_interpreter_does(code: str, tmp_path: Path) -> None:
    ours, _ = ended(code, tmp_path)
    assert ours == ended_alone(code, tmp_path)


@pytest.mark.parametrize(
    ("code", "exit_code"),
    [
        ("", 0),
        ("raise SystemExit(7)", 7),
        ("raise ValueError", 1),
        ("import threading, time\nthreading.Thread(target=time.sleep, args=(0.2,)).start()", 0),
    ],
)
def test_the_exit_code_is_reported_when_all_is_over(
    code: str, exit_code: int, tmp_path: Path
) -> None:
    (_, stdout, _), reports = ended(
        f"import atexit\natexit.register(print, 'over')\n{code}", tmp_path
    )
    assert stdout == "over\n"
    assert reports == report_of(exit_code)


@pytest.mark.parametrize(
    "code",
    [
        "import threading, time\nthreading.Thread(target=time.sleep, args=(60,), daemon=True).start()",
        "raise KeyboardInterrupt",
        "import os, sys\nsys.stdout.write('x')\nos.close(1)",
        "import os\nos._exit(4)",
        "import os\nos.kill(os.getpid(), 9)",
    ],
    ids=["a daemon thread", "an interrupt", "a full stream", "a hard exit", "a signal"],
)
def test_nothing_is_reported_of_an_end_that_is_the_kernel_s_to_tell(
    code: str, tmp_path: Path
) -> None:
    assert ended(code, tmp_path)[1] == []


def test_an_interrupt_ends_the_process_by_the_signal(tmp_path: Path) -> None:
    (exit_code, _, _), _ = ended("raise KeyboardInterrupt", tmp_path)
    assert exit_code == -signal.SIGINT


@pytest.mark.parametrize(
    ("code", "has_children"),
    [
        ("import os\nos.waitpid(os.fork() or os._exit(0), 0)", False),
        ("import os, time\nif os.fork() == 0:\n    time.sleep(1)\n    os._exit(0)", True),
        ("import os, time\nif os.fork() == 0:\n    os._exit(0)\ntime.sleep(0.2)", True),
    ],
    ids=["reaped", "alive", "not reaped"],
)
def test_children_that_are_left_are_reported(code: str, has_children: bool, tmp_path: Path) -> None:
    assert ended(code, tmp_path)[1] == report_of(0, has_children=has_children)


def test_a_process_that_the_script_has_forked_reports_nothing(tmp_path: Path) -> None:
    code = """
import os, sys
pid = os.fork()
if pid == 0:
    print("child")
    sys.exit(9)
print(os.waitstatus_to_exitcode(os.waitpid(pid, 0)[1]))
"""
    (exit_code, stdout, _), reports = ended(code, tmp_path)
    assert (exit_code, stdout) == (0, "child\n9\n")
    assert reports == report_of(0)


@pytest.mark.parametrize(
    ("before", "code", "packages"),
    [
        ("", "import flat", ["flat"]),
        ("", "import wide.deep", ["wide"]),
        ("", "import csv, local", []),
        ("import flat", "import flat, wide", ["wide"]),
        ("", "sys.modules['flat'] = 3\nsys.modules[4] = sys", []),
        ("", "import wide\nwide.__file__ = None", []),
        ("", "import wide\nsys.modules = None", ["wide"]),
    ],
)
def test_packages_are_told_that_the_script_has_imported_from_where_they_are_installed(
    before: str, code: str, packages: list[str], tmp_path: Path
) -> None:
    installed = tmp_path / "site-packages"
    (installed / "wide").mkdir(parents=True)
    for file in ("wide/__init__.py", "wide/deep.py", "flat.py", "../local.py"):
        (installed / file).write_text("")
    source = f"""
sys.path[:0] = [{str(tmp_path)!r}, {str(installed)!r}]
from py_executor_runtime import finish
{before}
finish.remember_modules()
{code}
print(sorted(finish.new_packages()))
"""
    assert output_of(source) == f"{packages}\n"
