"""Files that a caller sends along: whole or not at all, and never through a link."""

from __future__ import annotations

import os
import stat
import subprocess
import sys
import threading
from typing import TYPE_CHECKING

import pytest
from child_process import PYTHON_FOLDER
from py_executor_runtime import input_files, wire

if TYPE_CHECKING:
    from pathlib import Path


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """The current directory."""
    folder = tmp_path / "w"
    folder.mkdir()
    monkeypatch.chdir(folder)
    return folder


def write(files: dict[str, wire.Value]) -> None:
    before = set(os.listdir("/proc/self/fd"))
    try:
        input_files.write(wire.pack_fields(files))
    finally:
        assert set(os.listdir("/proc/self/fd")) == before  # no descriptor is left open


def names_below(folder: Path) -> list[str]:
    return sorted(str(path.relative_to(folder)) for path in folder.rglob("*"))


def test_files_are_written_with_their_folders(folder: Path) -> None:
    contents: dict[str, wire.Value] = {
        "a.txt": "é\n",
        "in/deep/er/b.bin": b"\0\xff" * 100_000,
        "in/c": b"",
        "日本 é 'q' #1%20?.txt": "named",
        "line\nbreak": "x",
        "-rf": "x",
    }
    write(contents)
    assert names_below(folder) == sorted([*contents, "in", "in/deep", "in/deep/er"])
    assert (folder / "a.txt").read_bytes() == "é\n".encode()
    assert (folder / "in/deep/er/b.bin").read_bytes() == b"\0\xff" * 100_000
    assert (folder / "in/c").read_bytes() == b""


def test_permissions_are_those_of_any_new_file(folder: Path) -> None:
    before = os.umask(0o027)
    try:
        write({"in/a": "x"})
    finally:
        os.umask(before)
    assert stat.S_IMODE((folder / "in").stat().st_mode) == 0o750
    assert stat.S_IMODE((folder / "in/a").stat().st_mode) == 0o640


def test_what_was_there_is_replaced_and_not_written_into(folder: Path) -> None:
    (folder / "a").write_text("before, and longer")
    other = folder / "other name"
    os.link("a", other)
    with (folder / "a").open() as open_file:
        write({"a": "after"})
        assert open_file.read() == "before, and longer"
    assert (folder / "a").read_text() == "after"
    assert other.read_text() == "before, and longer"


def test_a_link_in_the_place_of_a_file_is_replaced_itself(folder: Path, tmp_path: Path) -> None:
    target = tmp_path / "target"
    target.write_text("untouched")
    (folder / "a").symlink_to(target)
    (folder / "dangling").symlink_to(tmp_path / "nowhere")
    write({"a": "x", "dangling": "y"})
    assert target.read_text() == "untouched"
    assert not (tmp_path / "nowhere").exists()
    assert not (folder / "a").is_symlink()
    assert (folder / "dangling").read_text() == "y"


@pytest.mark.parametrize("path", ["link/a", "in/link/a", "link/new/a"])
def test_nothing_is_written_through_a_link_in_the_place_of_a_folder(
    path: str, folder: Path, tmp_path: Path
) -> None:
    outside = tmp_path / "outside"
    outside.mkdir()
    (folder / "in").mkdir()
    for link in (folder / "link", folder / "in/link"):
        link.symlink_to(outside)
    with pytest.raises(OSError, match=f"the file '{path}' could not be written"):
        write({path: "x"})
    assert names_below(outside) == []


def test_a_folder_that_becomes_a_link_meanwhile_leads_nowhere(folder: Path, tmp_path: Path) -> None:
    outside = tmp_path / "outside"
    outside.mkdir()
    code = f"""
import os, sys
os.chdir({str(folder)!r})
while True:
    try:
        os.rename("in", "was"); os.symlink({str(outside)!r}, "in"); os.unlink("in"); os.rename("was", "in")
    except OSError:
        pass
"""
    swapping = subprocess.Popen([sys.executable, "-c", code])
    (folder / "in").mkdir()
    try:
        for _ in range(500):
            try:
                write({"in/a": "x"})
            except OSError:
                pass
    finally:
        swapping.kill()
        swapping.wait()
    assert names_below(outside) == []


@pytest.mark.parametrize(
    ("path", "reason"),
    [
        ("folder", "Is a directory"),
        ("file/a", "Not a directory"),
        ("y" * 300, "File name too long"),
        ("fifo/a", "Not a directory"),
    ],
)
def test_what_can_t_be_written_is_named_and_leaves_nothing(
    path: str, reason: str, folder: Path
) -> None:
    (folder / "folder").mkdir()
    (folder / "file").write_text("x")
    os.mkfifo(folder / "fifo")
    with pytest.raises(OSError, match=f"the file '{path[:200]}' could not be written: .*{reason}"):
        write({path: "x"})
    assert names_below(folder) == ["fifo", "file", "folder"]


def test_a_pipe_in_the_place_of_a_file_is_replaced_and_not_waited_for(folder: Path) -> None:
    os.mkfifo(folder / "a")
    write({"a": "x"})
    assert (folder / "a").read_text() == "x"


def test_a_file_that_no_longer_fits_is_not_there_in_part(folder: Path) -> None:
    (folder / "a").write_text("before")
    code = f"""
import os, resource, signal, sys
sys.path.insert(0, {str(PYTHON_FOLDER)!r})
from py_executor_runtime import input_files, wire
signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
resource.setrlimit(resource.RLIMIT_FSIZE, (1000, 1000))
try:
    input_files.write(wire.pack_fields({{"a": b"x" * 5000}}))
except OSError as error:
    print(error)
"""
    done = subprocess.run(
        [sys.executable, "-c", code], check=True, capture_output=True, encoding="utf-8"
    )
    assert "the file 'a' could not be written" in done.stdout
    assert (folder / "a").read_text() == "before"
    assert names_below(folder) == ["a"]


def test_whoever_reads_meanwhile_sees_the_old_or_the_new_file_whole(folder: Path) -> None:
    texts = [letter * 200_000 for letter in "ab"]
    write({"a": texts[0]})
    seen: set[str] = set()
    is_over = threading.Event()

    def read() -> None:
        while not is_over.is_set():
            seen.add((folder / "a").read_text())

    reader = threading.Thread(target=read)
    reader.start()
    for number in range(100):
        input_files.write(wire.pack_fields({"a": texts[number % 2]}))
    is_over.set()
    reader.join()
    assert seen <= set(texts)
