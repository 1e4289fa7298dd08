"""A process that runs a snippet as the runner does, and tells what the snippet has shown."""

from __future__ import annotations

import base64
import json
import os
import subprocess
import sys
from functools import cache
from pathlib import Path
from typing import Any, NamedTuple

import pytest
from child_process import CLEAN, PRELUDE, PYTHON_FOLDER

#: The environment with the libraries, which `scripts/prepare.mjs --science` makes; else the tests' own.
LIBRARIES = PYTHON_FOLDER.parent / ".cache" / "venv-libraries" / "bin" / "python"

DRIVER = f"""
import base64, json, os, sys
preloaded, is_session = json.loads(sys.argv[1]), sys.argv[2] == "session"
from py_executor_runtime import display, script
for name in preloaded:
    __import__(name)
display.prepare()
for name in [name for name in sys.modules if name.partition(".")[0] == "py_executor_runtime"]:
    del sys.modules[name]
sys.path.remove({str(PYTHON_FOLDER)!r})
sent = []
def plain(value):
    if isinstance(value, bytes):
        return {{"base64": base64.b64encode(value).decode()}}
    return {{key: plain(one) for key, one in value.items()}} if isinstance(value, dict) else value
def send(kind, fields):
    sent[-1].append((kind, plain(fields)))
codes = []
main = sys.modules["__main__"]
for number, code in enumerate(json.loads(sys.stdin.read())):
    sent.append([])
    display.begin(send)
    names = type(sys)("__main__")
    vars(names)["__builtins__"] = vars(main)["__builtins__"]
    ending = script.run(code.encode(), f"snippet-{{number}}.py", names)
    display.show_result(ending.value)
    display.finish(close_figures=is_session)
    codes.append(ending.exit_code)
left = [name for name in sys.modules if name.partition(".")[0] == "py_executor_runtime"]
sys.stdout.flush()
with open(sys.argv[3], "w") as file:
    json.dump({{"sent": sent, "codes": codes, "left": left}}, file)
sys.stdout.flush()
os._exit(0)
"""


class Shown(NamedTuple):
    """What a run has shown, and what the process has printed."""

    sent: list[tuple[str, dict[str, Any]]]
    stdout: str
    stderr: str

    @property
    def displays(self) -> list[dict[str, Any]]:
        return [fields for kind, fields in self.sent if kind == "display"]

    @property
    def only(self) -> dict[str, Any]:
        assert len(self.sent) == 1, self.sent
        assert self.sent[0][0] == "display"
        return self.sent[0][1]


def interpreter() -> str:
    return str(LIBRARIES) if LIBRARIES.exists() else sys.executable


@cache
def _is_there(library: str) -> bool:
    probe = f"import importlib.util, sys; sys.exit(importlib.util.find_spec({library!r}) is None)"
    return subprocess.run([interpreter(), "-c", probe], check=False, timeout=60).returncode == 0


def needs(*libraries: str) -> None:
    """Skips the test if the environment with the libraries lacks one."""
    for library in libraries:
        if not _is_there(library):
            pytest.skip(f"missing: {library} in .cache/venv-libraries")


def shown(
    *codes: str,
    folder: Path,
    preloaded: tuple[str, ...] = (),
    session: bool = False,
    env: dict[str, str] | None = None,
    fails: bool = False,
) -> Shown:
    """Runs a snippet, or several as if it were one; see `each_shown`."""
    runs = each_shown(
        *codes, folder=folder, preloaded=preloaded, session=session, env=env, fails=fails
    )
    return Shown([one for run in runs for one in run.sent], runs[0].stdout, runs[0].stderr)


def each_shown(
    *codes: str,
    folder: Path,
    preloaded: tuple[str, ...] = (),
    session: bool = False,
    env: dict[str, str] | None = None,
    fails: bool = False,
) -> list[Shown]:
    """Runs snippets, one after the other in one process; that has imported the libraries once for all of them.

    Args:
        folder: the working directory.
        preloaded: what a template has imported before.
        session: figures are closed after each.
        env: further variables.
        fails: a snippet may end in an error.
    """
    outcome = folder / "outcome.json"
    mode = "session" if session else "run"
    done = subprocess.run(
        [interpreter(), "-c", PRELUDE + DRIVER, json.dumps(preloaded), mode, str(outcome)],
        check=False,
        capture_output=True,
        encoding="utf-8",
        cwd=folder,
        env={**CLEAN, "MPLCONFIGDIR": str(_shared_folder()), **(env or {})},
        input=json.dumps(codes),
        timeout=120,
    )
    assert done.returncode == 0, done.stderr
    result = json.loads(outcome.read_text())
    assert result["left"] == []
    assert fails or not any(result["codes"]), done.stderr
    return [
        Shown([(kind, _with_bytes(fields)) for kind, fields in sent], done.stdout, done.stderr)
        for sent in result["sent"]
    ]


def _shared_folder() -> Path:
    """Where matplotlib keeps its list of fonts between tests: making it takes a second."""
    folder = Path(os.environ.get("TMPDIR", "/tmp")) / f"py-executor-test-matplotlib-{os.getuid()}"
    folder.mkdir(exist_ok=True)
    return folder


def _with_bytes(value: Any) -> Any:  # noqa: ANN401
    fields: Any = value
    if not isinstance(value, dict):
        return fields
    if list(fields) == ["base64"]:
        return base64.b64decode(fields["base64"])
    return {key: _with_bytes(one) for key, one in fields.items()}


def pixels(png: bytes) -> Any:  # noqa: ANN401
    """Width and height of a PNG."""
    return int.from_bytes(png[16:20], "big"), int.from_bytes(png[20:24], "big")
