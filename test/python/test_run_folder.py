"""A run's private folder, and the file that its code is read from again."""

from __future__ import annotations

import io
import os
import random
import re
import stat
import subprocess
import tokenize
from pathlib import Path
from typing import Any

import pytest
from py_executor_runtime.run_folder import RunFolder, remove_if_empty, without_coding_cookie

SEED = 20240229
ROUNDS = 3_000
BOM = b"\xef\xbb\xbf"
#: Tells by its value how the file was decoded.
CANARY = "\ncanary = 'é'\n".encode()


def encoding_of(source: bytes) -> str:
    """What `linecache` and `tokenize` take a file for (PEP 263)."""
    return tokenize.detect_encoding(io.BytesIO(source).readline)[0]


def canary_of(source: bytes) -> str:
    """What a text comes to when the interpreter reads the file, as multiprocessing has it do."""
    names: dict[str, Any] = {}
    exec(compile(source + CANARY, "snippet.py", "exec"), names)
    return names["canary"]


@pytest.mark.parametrize(
    ("code", "stored"),
    [
        (b"# coding: latin-1\n", b"# coding : latin-1\n"),
        (b"# -*- coding: latin-1 -*-\nx = 1\n", b"# -*- coding : latin-1 -*-\nx = 1\n"),
        (b"# coding=latin-1", b"# coding =latin-1"),
        (b"#coding:latin-1\n", b"#coding :latin-1\n"),
        (b" \t\x0c# coding: latin-1\n", b" \t\x0c# coding : latin-1\n"),
        (b"# vim: set fileencoding=latin-1 :\n", b"# vim: set fileencoding =latin-1 :\n"),
        (b"#!/usr/bin/python\n# coding: latin-1\n", b"#!/usr/bin/python\n# coding : latin-1\n"),
        (b"\n# coding: latin-1\n", b"\n# coding : latin-1\n"),
        (b" \x0c\t\n# coding: latin-1\n", b" \x0c\t\n# coding : latin-1\n"),
        (b"#\r\n# coding: latin-1\r\n", b"#\r\n# coding : latin-1\r\n"),
        (b"# coding: no-such-encoding\n", b"# coding : no-such-encoding\n"),
        (b"# coding: utf-8\n", b"# coding : utf-8\n"),
    ],
    ids=ascii,
)
def test_a_declared_encoding_is_made_an_ordinary_comment(code: bytes, stored: bytes) -> None:
    assert without_coding_cookie(code) == stored
    assert encoding_of(stored) == "utf-8"
    assert canary_of(stored) == "é"


@pytest.mark.parametrize(
    "code",
    [
        *(b"", b"\n", b"#", b"x = 1", b"# a comment\n# another\n", b"# co ding: latin-1\n"),
        b"\n\n# coding: latin-1\n",
        b"#\n#\n# coding: latin-1\n",
        b"x = 1\n# coding: latin-1\n",
        b"'''\n# coding: latin-1\n'''\n",
        b"coding: int = 1\n",
        b"print('# coding: latin-1')\n",
        b"# coding : latin-1\n",
        "# Kodierung é\n".encode(),
    ],
    ids=ascii,
)
def test_what_declares_no_encoding_is_left_as_it_is(code: bytes) -> None:
    assert without_coding_cookie(code) == code


def test_a_byte_order_mark_is_left_out() -> None:
    assert without_coding_cookie(BOM + b"x = 1\n") == b"x = 1\n"
    assert without_coding_cookie(BOM + b"# coding: latin-1\n") == b"# coding : latin-1\n"
    assert without_coding_cookie(b"x = 1\n" + BOM) == b"x = 1\n" + BOM


def without_blanks(code: bytes) -> bytes:
    """The code without the blank that makes a declaration an ordinary comment."""
    return re.sub(rb"coding ([:=])", rb"coding\1", code)


def test_any_code_is_taken_for_utf8_and_nothing_but_blanks_is_added() -> None:
    around = [
        *(b"\n", b"\n", b"\r\n", b" ", b"\t", b"\x0c", b"#", b"#", b"x = 1", b'"', b"-*-"),
        *("é".encode(), b"utf-8", b"latin-1", b":", b"="),
    ]
    declarations = [b"coding: latin-1", b"coding=cp500", b"encoding:utf-8", b"coding :x", b"coding"]
    rng = random.Random(SEED)
    changed = 0
    for _ in range(ROUNDS):
        before, after = (b"".join(rng.choices(around, k=rng.randint(0, 5))) for _ in range(2))
        code = before + rng.choice([b"# ", b""]) + rng.choice(declarations) + after
        stored = without_coding_cookie(code)
        assert encoding_of(stored) == "utf-8"
        assert without_blanks(stored) == without_blanks(code)
        changed += stored != code
    assert ROUNDS / 10 < changed < ROUNDS / 2


@pytest.mark.parametrize(
    "code",
    [
        pytest.param(
            b"# coding: utf-8\n# coding: latin-1\n",
        ),
        pytest.param(
            b"# coding: utf-8 coding: latin-1\n",
        ),
        pytest.param(
            b"# coding= coding: latin-1\n",
        ),
        pytest.param(
            b"\r# coding: latin-1\n",
        ),
    ],
    ids=ascii,
)
def test_no_other_declaration_comes_to_count_instead(code: bytes) -> None:
    stored = without_coding_cookie(code)
    assert encoding_of(stored) == "utf-8"
    assert canary_of(stored) == "é"


@pytest.fixture
def root(tmp_path: Path) -> Path:
    root = tmp_path / "root"
    root.mkdir()
    return root


def mode_of(path: str) -> int:
    return stat.S_IMODE(os.stat(path).st_mode)


def test_the_folder_and_its_file_are_this_users_alone(root: Path) -> None:
    folder = RunFolder(str(root))
    before = os.umask(0)
    try:
        script = folder.create(b"print(1)\n")
    finally:
        os.umask(before)
    assert (mode_of(folder.path), mode_of(script)) == (0o700, 0o600)
    assert Path(script).read_bytes() == b"print(1)\n"
    assert Path(script).parent == Path(folder.path)


def test_the_file_holds_the_code_as_every_reader_takes_it(root: Path) -> None:
    script = RunFolder(str(root)).create(BOM + "# coding: latin-1\nx = 'é\r\n'\n".encode())
    assert Path(script).read_bytes() == "# coding : latin-1\nx = 'é\r\n'\n".encode()


def test_nothing_is_made_before_it_is_needed(root: Path) -> None:
    folder = RunFolder(str(root))
    assert list(root.iterdir()) == []
    folder.remove()


def test_each_run_has_a_folder_of_its_own_with_a_short_name(root: Path) -> None:
    folders = [RunFolder(str(root)) for _ in range(100)]
    assert len({folder.path for folder in folders}) == 100
    assert all(len(folder.path) - len(str(root)) <= 12 for folder in folders)


def test_removing_takes_along_whatever_the_run_has_left(root: Path, tmp_path: Path) -> None:
    elsewhere = tmp_path / "elsewhere"
    elsewhere.mkdir()
    (elsewhere / "file").write_text("kept")
    folder = RunFolder(str(root))
    folder.create(b"")
    temp = Path(folder.path)
    (temp / "a" / "b").mkdir(parents=True)
    (temp / "a" / "b" / "file").write_text("x")
    (temp / "link to a file").symlink_to(elsewhere / "file")
    (temp / "link to a folder").symlink_to(elsewhere)
    (temp / "link to nowhere").symlink_to("nowhere")
    (temp / "\udcff name that is no UTF-8").write_text("x")
    os.mkfifo(temp / "pipe")
    folder.remove()
    assert list(root.iterdir()) == []
    assert (elsewhere / "file").read_text() == "kept"


def test_removing_what_is_gone_is_harmless(root: Path) -> None:
    folder = RunFolder(str(root))
    folder.create(b"")
    folder.remove()
    folder.remove()


@pytest.mark.parametrize("mode", [0o000, 0o500, 0o400, 0o100])
def test_removing_is_not_stopped_by_modes(root: Path, mode: int) -> None:
    folder = RunFolder(str(root))
    folder.create(b"")
    locked = Path(folder.path) / "locked"
    (locked / "below").mkdir(parents=True)
    (locked / "file").write_text("x")
    locked.chmod(mode)
    Path(folder.path).chmod(mode)
    folder.remove()
    assert list(root.iterdir()) == []


def test_removing_goes_as_deep_as_the_run_went(root: Path) -> None:
    folder = RunFolder(str(root))
    folder.create(b"")
    start = os.open(".", os.O_RDONLY)
    try:
        os.chdir(folder.path)
        for _ in range(1500):
            os.mkdir("deeper")
            os.chdir("deeper")
        os.fchdir(start)
        folder.remove()
        assert list(root.iterdir()) == []
    finally:
        os.fchdir(start)
        os.close(start)
        # Python's own way of removing a tree, which pytest uses, does not go so deep before 3.13.
        subprocess.run(["rm", "-rf", str(root)], check=True, timeout=60)


def test_the_last_one_to_go_takes_the_servers_folder_along(root: Path) -> None:
    (root / "run").mkdir()
    remove_if_empty(str(root))
    assert root.exists()
    (root / "run").rmdir()
    remove_if_empty(str(root))
    assert not root.exists()
    remove_if_empty(str(root))
