"""What a template imports, and what it says of it."""

from __future__ import annotations

import json
import sys
from pathlib import Path
from typing import Any

import pytest
from child_process import output_of

#: Imports the modules that the second argument names, with the workspace of the first one in front on sys.path and a
#: folder of installed packages at the end.
IMPORT_ALL = """
import json, os, signal
workspace, modules = sys.argv[1], tuple(filter(None, sys.argv[2].split(",")))
sys.path[0] = workspace
sys.path.append(workspace + "/site-packages")
before = sys.path[:]
from py_executor_runtime import preload
report = preload.import_all(modules)
"""

linux_only = pytest.mark.skipif(
    not sys.platform.startswith("linux"), reason="threads are counted in proc(5)"
)


@pytest.fixture
def workspace(tmp_path: Path) -> Path:
    (tmp_path / "site-packages").mkdir()
    return tmp_path


def install(workspace: Path, name: str, source: str) -> None:
    (workspace / "site-packages" / f"{name}.py").write_text(source)


def told(workspace: Path, modules: str, expression: str = "report") -> Any:  # noqa: ANN401
    source = f"{IMPORT_ALL}\nprint(json.dumps({expression}))"
    return json.loads(output_of(source, str(workspace), modules))


def test_modules_are_imported_and_what_each_cost_is_told(workspace: Path) -> None:
    install(workspace, "slow", "import time\ntime.sleep(0.05)")
    report, present = told(workspace, "csv,slow", "[report, 'csv' in sys.modules]")
    costs = dict(cost.split("=") for cost in report["imported"].split(","))
    assert list(costs) == ["csv", "slow"]
    assert float(costs["slow"]) >= 50  # milliseconds
    assert (report["failed"], report["unforkable"], present) == ("", "", True)


def test_without_names_it_is_what_every_template_has(workspace: Path) -> None:
    report, missing = told(
        workspace, "", "[report, [n for n in preload.FIRST_MODULES if n not in sys.modules]]"
    )
    assert report == {"imported": "", "failed": "", "unforkable": ""}
    assert missing == []


def test_submodules_may_be_named(workspace: Path) -> None:
    report = told(workspace, "xml.dom.minidom")
    assert report["imported"].startswith("xml.dom.minidom=")


@pytest.mark.parametrize(
    ("source", "reason"),
    [
        ("import no_such_module", "ModuleNotFoundError: No module named 'no_such_module'"),
        ("raise ValueError('first\\nsecond')", "ValueError: first"),
        ("raise OSError", "OSError: "),
        ("1 +", "SyntaxError: invalid syntax (broken.py, line 1)"),
    ],
)
def test_what_can_t_be_imported_is_told_and_the_rest_is_imported(
    source: str, reason: str, workspace: Path
) -> None:
    install(workspace, "broken", source)
    report = told(workspace, "broken,csv")
    assert report["failed"] == f"broken: {reason}"
    assert report["imported"].startswith("csv=")


def test_each_failure_has_a_line_of_its_own(workspace: Path) -> None:
    report = told(workspace, "no_one,no_two")
    assert [line.split(":")[0] for line in report["failed"].splitlines()] == ["no_one", "no_two"]


def test_modules_of_the_workspace_are_never_imported(workspace: Path) -> None:
    (workspace / "mine.py").write_text("")
    (workspace / "csv.py").write_text("raise ValueError('the wrong one')")
    report, path = told(workspace, "mine,csv", "[report, sys.modules['csv'].__file__]")
    assert report["failed"] == "mine: ModuleNotFoundError: No module named 'mine'"
    assert Path(path).parent != workspace


def test_the_search_path_is_as_before(workspace: Path) -> None:
    assert told(workspace, "csv,no_such_module", "sys.path == before") is True


@pytest.mark.parametrize("statement", ["sys.path.append('/x')", "sys.path = [*sys.path, '/x']"])
def test_what_a_package_adds_to_the_search_path_stays(statement: str, workspace: Path) -> None:
    install(workspace, "adds", f"import sys\n{statement}")
    assert told(workspace, "adds", "sys.path == [*before, '/x']") is True


def test_no_alarm_is_left_behind(workspace: Path) -> None:
    assert told(workspace, "csv,no_such_module", "signal.alarm(0)") == 0


@linux_only
def test_threads_that_a_fork_would_miss_are_told(workspace: Path) -> None:
    install(
        workspace,
        "threads",
        "import threading, time\n"
        "for _ in range(2): threading.Thread(target=time.sleep, args=(60,), daemon=True).start()",
    )
    report = told(workspace, "threads")
    assert report["unforkable"] == "2 threads are alive after the imports"


@linux_only
def test_threads_that_end_before_a_fork_are_no_hindrance(workspace: Path) -> None:
    install(
        workspace,
        "polite",
        "import os, threading\nover = threading.Event()\n"
        "worker = threading.Thread(target=over.wait, daemon=True)\nworker.start()\n"
        "os.register_at_fork(before=lambda: (over.set(), worker.join()))",
    )
    assert told(workspace, "polite")["unforkable"] == ""


@linux_only
def test_a_thread_that_its_library_sees_to_in_a_fork_is_no_hindrance(workspace: Path) -> None:
    install(
        workspace,
        "purging",
        "import ctypes, threading, time\nnamed = threading.Event()\n"
        "def purge():\n"
        "    ctypes.CDLL(None).prctl(15, b'jemalloc_bg_thd')\n"  # PR_SET_NAME, prctl(2)
        "    named.set()\n    time.sleep(60)\n"
        "threading.Thread(target=purge, daemon=True).start()\nnamed.wait()",
    )
    assert told(workspace, "purging")["unforkable"] == ""


def test_a_module_from_elsewhere_makes_a_template_unusable(workspace: Path) -> None:
    elsewhere = workspace / "elsewhere"
    elsewhere.mkdir()
    (elsewhere / "edited.py").write_text("")
    install(workspace, "finder", f"import sys\nsys.path.append({str(elsewhere)!r})\nimport edited")
    report = told(workspace, "finder")
    path = elsewhere / "edited.py"
    assert report["unforkable"] == f"edited comes from {path}, which may change at any time"


@pytest.mark.parametrize(("name", "use"), [("numpy", "arange(3)"), ("pandas", "DataFrame()")])
def test_libraries_are_primed_and_can_be_forked(name: str, use: str, workspace: Path) -> None:
    pytest.importorskip(name, reason=f"missing: {name} in the tests' own Python")
    report, length = told(workspace, name, f"[report, len(sys.modules[{name!r}].{use})]")
    assert (report["failed"], report["unforkable"]) == ("", "")
    assert length in (0, 3)
