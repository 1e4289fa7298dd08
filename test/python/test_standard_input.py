"""What code reads from standard input: each cell of a session has its own."""

from __future__ import annotations

import json
import os
import stat
from typing import TYPE_CHECKING, Any

import pytest
from child_process import output_of
from py_executor_runtime.run_folder import RunFolder

if TYPE_CHECKING:
    from pathlib import Path

#: `read(text, code)`: what the code comes to in a cell that is given this text; None: no input.
DRIVER = """
import json, os, sys
from py_executor_runtime import standard_input
from py_executor_runtime.run_folder import RunFolder, open_input
folder = RunFolder(sys.argv[1])
folder.create(b"")
open_input("")
sys.stdin = sys.__stdin__ = open(0, encoding="utf-8", closefd=False)

def read(text, code):
    standard_input.put("" if text is None else folder.store_input(text))
    return eval(code)
"""


def told_by(body: str, folder: Path) -> Any:  # noqa: ANN401
    return json.loads(output_of(f"{DRIVER}\nprint(json.dumps({body}))", str(folder)))


@pytest.mark.parametrize(
    "code",
    [
        "[input(), sys.stdin.read()]",
        "[sys.stdin.readline()[:-1], sys.__stdin__.read()]",
        "[os.read(0, 5).decode()[:-1], sys.stdin.buffer.read().decode()]",
        "[open('/dev/stdin').readline()[:-1], open('/proc/self/fd/0').read()[4:]]",
    ],
)
def test_a_cell_reads_its_text_by_any_means(code: str, tmp_path: Path) -> None:
    told = told_by(f"read('abé\\nrest é'.encode(), {code!r})", tmp_path)
    assert told == ["abé", "rest é"]


def test_what_a_cell_leaves_unread_is_gone_in_the_next(tmp_path: Path) -> None:
    told = told_by(
        "[read(b'1\\n2\\n3\\n', 'input()'), read(b'4\\n', 'sys.stdin.read()'), read(None, 'sys.stdin.read()'),"
        " read(None, 'os.read(0, 9).decode()'), read(b'5', 'sys.stdin.read()')]",
        tmp_path,
    )
    assert told == ["1", "4\n", "", "", "5"]


def test_a_reader_of_the_code_s_own_stays(tmp_path: Path) -> None:
    told = told_by(
        '[read(None, \'__import__("io").StringIO("own")\') and 0,'
        " setattr(sys, 'stdin', __import__('io').StringIO('own')), read(b'theirs', 'sys.stdin.read()'),"
        " read(b'theirs', 'sys.__stdin__.read()')]",
        tmp_path,
    )
    assert told == [0, None, "own", "theirs"]


@pytest.mark.parametrize(
    "change", ["sys.stdin.close()", "os.close(0)", "setattr(sys, '__stdin__', None)"]
)
def test_code_may_have_closed_it(change: str, tmp_path: Path) -> None:
    told = told_by(
        f"[read(b'1', {change!r}), read(b'2', 'os.read(0, 9).decode()')]",
        tmp_path,
    )
    assert told == [None, "2"]


def test_the_descriptor_is_passed_on_to_programs(tmp_path: Path) -> None:
    code = "__import__('subprocess').run(['cat'], capture_output=True).stdout.decode()"
    assert told_by(f"read(b'to cat', {code!r})", tmp_path) == "to cat"
    again = f"[read(b'1', 'os.close(0)'), read(b'2', {code!r})]"
    assert told_by(again, tmp_path) == [None, "2"]


def test_input_is_for_this_user_only_and_gone_when_it_is_opened(tmp_path: Path) -> None:
    folder = RunFolder(str(tmp_path))
    folder.create(b"")
    path = folder.store_input(b"secret")
    assert stat.S_IMODE(os.stat(folder.path).st_mode) == 0o700
    assert path.startswith(f"{folder.path}/.")
    told = told_by(
        f"[open_input({path!r}), os.path.exists({path!r}), os.read(0, 9).decode()]", tmp_path
    )
    assert told == [None, False, "secret"]
    folder.remove()
