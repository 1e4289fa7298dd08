"""A fork that looks as if it had just been started."""

from __future__ import annotations

import json
import os
import sys
from pathlib import Path
from typing import Any

import pytest
from child_process import PYTHON_FOLDER, output_of

#: Looks fresh for the folder in the first argument after importing the modules named in the second.
LOOK_FRESH = """
import importlib, json, os, gc
cwd, modules = sys.argv[1], sys.argv[2].split(",")
for name in filter(None, modules):
    importlib.import_module(name)
from py_executor_runtime import fresh
from py_executor_runtime.link import Task
task = Task(code=b"", script="/tmp/x/snippet.py", cwd=cwd, temp=cwd + "/temp", result_chars=100)
gc.disable()
os.chdir(cwd)
fresh.look_fresh(task)
"""


def told(source: str, cwd: Path, *modules: str) -> Any:  # noqa: ANN401
    """What the code prints as JSON after looking fresh."""
    return json.loads(output_of(LOOK_FRESH + source, str(cwd), ",".join(modules)))


def loaded(cwd: Path, *modules: str) -> list[str]:
    """Which of these modules, imported before, a run in a folder finds loaded."""
    source = f"print(json.dumps([name for name in {modules!r} if name in sys.modules]))"
    return told(source, cwd, *modules)


def test_a_script_sees_a_start_of_its_own(tmp_path: Path) -> None:
    seen = told(
        """print(json.dumps({
            "argv": sys.argv, "first": sys.path[0], "last": sys.path[-1], "temp": os.environ["TMPDIR"],
            "collects": gc.isenabled(), "runtime": [n for n in sys.modules if "py_executor" in n],
            "orig": getattr(sys, "orig_argv", None),
        }))""",
        tmp_path,
    )
    script = "/tmp/x/snippet.py"
    assert seen == {
        "argv": [script],
        "first": str(tmp_path),
        "last": str(PYTHON_FOLDER),
        "temp": f"{tmp_path}/temp",
        "collects": True,
        "runtime": [],
        "orig": [sys.executable, "-u", script] if sys.version_info >= (3, 10) else None,
    }


@pytest.mark.parametrize("file", ["csv.py", "csv/__init__.py"])
def test_a_local_module_stands_in_for_one_that_was_loaded_ahead(file: str, tmp_path: Path) -> None:
    assert loaded(tmp_path, "csv", "wave") == ["csv", "wave"]
    (tmp_path / file).parent.mkdir(exist_ok=True)
    (tmp_path / file).write_text("here = True\n")
    assert loaded(tmp_path, "csv", "wave") == ["wave"]
    source = "import csv\nprint(json.dumps([csv.here, csv.__file__]))"
    assert told(source, tmp_path, "csv") == [True, str(tmp_path / file)]


def test_a_local_package_stands_in_with_all_its_submodules(tmp_path: Path) -> None:
    (tmp_path / "xml.py").write_text("")
    names = ("xml", "xml.dom", "xml.dom.minidom", "xmlrpc")
    assert loaded(tmp_path, *names) == ["xmlrpc"]


@pytest.mark.parametrize("name", ["csv", "csv.txt", "csv.pyx", "csv-py", ".csv.py", "CSV.py"])
def test_what_python_would_not_import_stands_in_for_nothing(name: str, tmp_path: Path) -> None:
    (tmp_path / name).write_text("")
    assert loaded(tmp_path, "csv") == ["csv"]


def test_a_folder_without_an_init_file_stands_in_for_nothing(tmp_path: Path) -> None:
    (tmp_path / "csv").mkdir()
    (tmp_path / "csv" / "other.py").write_text("")
    assert loaded(tmp_path, "csv") == ["csv"]


@pytest.mark.parametrize("name", ["sys", "os", "builtins", "time", "__main__", "encodings"])
def test_what_an_interpreter_has_from_its_start_is_kept(name: str, tmp_path: Path) -> None:
    (tmp_path / f"{name}.py").write_text("")
    assert loaded(tmp_path, name) == [name]


def test_a_folder_with_very_many_entries_is_asked_for_single_names(tmp_path: Path) -> None:
    folder = tmp_path / "large"
    folder.mkdir()
    count = 0
    while folder.stat().st_size <= 64 * 1024:
        for _ in range(200):
            (folder / f"a-name-that-takes-much-room-in-its-folder-{count:06}").touch()
            count += 1
        if count >= 20_000:
            pytest.skip("folders of this file system don't grow with their entries")
    (folder / "csv.py").write_text("")
    assert loaded(folder, "csv", "wave") == ["wave"]


def test_a_folder_that_may_be_entered_but_not_read_is_no_hindrance(tmp_path: Path) -> None:
    if os.geteuid() == 0:
        pytest.skip("root may read any folder")
    folder = tmp_path / "closed"
    folder.mkdir()
    folder.chmod(0o111)
    try:
        assert loaded(folder, "csv") == ["csv"]
    finally:
        folder.chmod(0o700)


#: Prints what two forks of the same interpreter get; `draw()` is what they do.
TWO_FORKS = """
def in_fork():
    reading, writing = os.pipe()
    pid = os.fork()
    if pid == 0:
        fresh.look_fresh(task)
        os.write(writing, json.dumps(draw()).encode())
        os._exit(0)
    os.waitpid(pid, 0)
    return json.loads(os.read(reading, 65536))
print(json.dumps([in_fork(), in_fork()]))
"""


@pytest.mark.parametrize(
    ("draw", "modules"),
    [
        ("random.random()", "random"),
        ("uuid.uuid4().hex", "uuid"),
        ("secrets.token_hex(8)", "secrets"),
        ("ssl.RAND_bytes(8).hex()", "ssl"),
        ("next(tempfile._get_candidate_names())", "tempfile"),
        ("multiprocessing.current_process().authkey.hex()", "multiprocessing"),
        ("numpy.random.random()", "numpy"),
        ("numpy.random.default_rng().random()", "numpy"),
    ],
)
def test_two_forks_don_t_share(draw: str, modules: str, tmp_path: Path) -> None:
    if modules == "numpy":
        pytest.importorskip("numpy", reason="missing: numpy in the tests' own Python")
    use = draw.replace("numpy.random.random()", "float(numpy.random.random())")
    source = f"import {modules}\n{draw}\ndraw = lambda: {use}\n{TWO_FORKS}"
    first, second = told(source, tmp_path, modules)
    assert first != second


@pytest.mark.parametrize(
    "uses", ["", "tempfile.gettempdir(), next(tempfile._get_candidate_names())"]
)
def test_temporary_files_go_to_the_run_s_own_folder(uses: str, tmp_path: Path) -> None:
    source = f"""
import tempfile
{uses}  # settles the folder, for good if it isn't renewed
fresh.look_fresh(task)
os.mkdir(task.temp)
print(json.dumps([tempfile.gettempdir(), tempfile.mkdtemp()]))"""
    folder, made = told(source, tmp_path)
    assert folder == f"{tmp_path}/temp"
    assert made.startswith(f"{tmp_path}/temp/")


def test_multiprocessing_starts_where_the_run_does(tmp_path: Path) -> None:
    source = "import multiprocessing.process as p\nprint(json.dumps(p.ORIGINAL_DIR))"
    assert told(source, tmp_path, "multiprocessing") == str(tmp_path)


def test_the_main_thread_is_the_process_s_own(tmp_path: Path) -> None:
    source = f"import threading\ndraw = lambda: threading.main_thread().native_id - os.getpid()\n{TWO_FORKS}"
    assert told(source, tmp_path, "threading") == [0, 0]
