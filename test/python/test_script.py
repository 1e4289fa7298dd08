"""Running a script: how it ended, and what its last expression came to."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path
from types import ModuleType
from typing import Any

import pytest
from py_executor_runtime import script

PYTHON_FOLDER = Path(__file__).resolve().parents[2] / "python"


def run(code: str) -> script.Ending:
    return script.run(code.encode(), "snippet.py", ModuleType("__main__"))


EXITS = {
    "without an argument": "raise SystemExit",
    "None": "raise SystemExit(None)",
    "zero": "raise SystemExit(0)",
    "a number": "raise SystemExit(3)",
    "the largest code": "raise SystemExit(255)",
    "more than a byte": "raise SystemExit(256)",
    "much more than a byte": "raise SystemExit(1000)",
    "a negative number": "raise SystemExit(-1)",
    "more than 32 bits": "raise SystemExit(2**32 + 5)",
    "the largest that C takes": "raise SystemExit(2**63 - 1)",
    "the smallest that C takes": "raise SystemExit(-2**63)",
    "true": "raise SystemExit(True)",
    "false": "raise SystemExit(False)",
    "a text": "raise SystemExit('why')",
    "an empty text": "raise SystemExit('')",
    "a text that is no ASCII": "raise SystemExit('é😀')",
    "half a character": r"raise SystemExit('\ud83d')",
    "a fraction": "raise SystemExit(1.5)",
    "a list": "raise SystemExit([1, 'a'])",
    "an error": "raise SystemExit(ValueError('no'))",
    "several arguments": "raise SystemExit(1, 2)",
    "a number of its own": "class N(int): pass\nraise SystemExit(N(7))",
    "an exception of its own": "class E(SystemExit): pass\nraise E(4)",
    "a code of its own": "class E(SystemExit):\n    code = 9\nraise E(4)",
    "a code set later": "e = SystemExit(1)\ne.code = 5\nraise e",
    "an object whose text can't be made": (
        "class Bad:\n    def __str__(self):\n        raise ValueError\nraise SystemExit(Bad())"
    ),
}

#: Where the text of an exit goes if the script has changed sys.stderr.
EXITS_WITHOUT_STDERR = {
    "stderr deleted": "import sys\ndel sys.stderr\nraise SystemExit('why')",
    "stderr closed": "import sys\nsys.stderr.close()\nraise SystemExit('why')",
    "stderr None": "import sys\nsys.stderr = None\nraise SystemExit('why')",
    "stderr replaced": "import sys\nsys.stderr = sys.stdout\nraise SystemExit('why')",
}

#: Runs the script named by the second argument with what the first argument's folder holds.
OURS = """
import os, sys
sys.path.insert(0, sys.argv[1])
from types import ModuleType
from py_executor_runtime import script
with open(sys.argv[2], "rb") as file:
    ending = script.run(file.read(), sys.argv[2], ModuleType("__main__"))
sys.__stdout__.flush()
os._exit(ending.exit_code)
"""


def outcome(*arguments: str) -> tuple[int, str, str]:
    """The exit code, stdout and stderr of this interpreter with these arguments."""
    done = subprocess.run(
        [sys.executable, "-S", *arguments],
        check=False,
        capture_output=True,
        encoding="utf-8",
        env={"PYTHONUTF8": "1"},
        timeout=60,
    )
    return done.returncode, done.stdout, done.stderr


def cases(codes: dict[str, str]) -> list[Any]:
    return [pytest.param(code, id=name) for name, code in codes.items()]


@pytest.mark.parametrize("code", cases({**EXITS, **EXITS_WITHOUT_STDERR}))
def test_exits_as_the_interpreter_does(code: str, tmp_path: Path) -> None:
    file = tmp_path / "snippet.py"
    file.write_text(code, encoding="utf-8")
    assert outcome("-c", OURS, str(PYTHON_FOLDER), str(file)) == outcome(str(file))


@pytest.mark.parametrize("code", ["raise SystemExit(2**63)", "raise SystemExit(-2**63 - 1)"])
def test_an_exit_code_that_is_too_large_for_c_is_what_the_interpreter_makes_of_it(
    code: str, tmp_path: Path
) -> None:
    file = tmp_path / "snippet.py"
    file.write_text(code, encoding="utf-8")
    exit_code, _, _ = outcome(str(file))  # from Python 3.12 on it also complains
    assert run(code).exit_code == exit_code


def test_an_exit_has_no_value_and_is_no_interrupt() -> None:
    ending = run("raise SystemExit(3)\n5")
    assert (ending.exit_code, ending.value, ending.is_interrupt) == (3, None, False)


def test_an_uncaught_error_is_1_and_reported_without_our_own_frames(
    capsys: pytest.CaptureFixture[str],
) -> None:
    ending = run("def fail():\n    raise ValueError('no')\nfail()\n")
    assert (ending.exit_code, ending.is_interrupt) == (1, False)
    lines = capsys.readouterr().err.splitlines()
    assert lines[0] == "Traceback (most recent call last):"
    assert [line for line in lines if line.startswith('  File "')] == [
        '  File "snippet.py", line 3, in <module>',
        '  File "snippet.py", line 2, in fail',
    ]
    assert lines[-1] == "ValueError: no"


def test_a_syntax_error_is_1_and_runs_nothing(capsys: pytest.CaptureFixture[str]) -> None:
    assert run("print('begun')\n1 +\n").exit_code == 1
    written = capsys.readouterr()
    assert written.out == ""
    assert 'File "snippet.py", line 2' in written.err


def test_an_interrupt_is_told_apart(capsys: pytest.CaptureFixture[str]) -> None:
    assert run("raise KeyboardInterrupt").is_interrupt
    assert not run("class E(KeyboardInterrupt): pass\nraise E").is_interrupt
    assert "KeyboardInterrupt" in capsys.readouterr().err


@pytest.mark.parametrize(
    ("code", "value"),
    [
        ("1 + 1", 2),
        ("x = 20\nx + 1\n", 21),
        ("x = 1; x + 1", 2),
        ("1\n2\n\n# a comment\n", 2),
        ("(1,\n 2)", (1, 2)),
        ("def f():\n    return 'value'\nf()", "value"),
        ("[x for x in range(3)]", [0, 1, 2]),
        ("(y := 5)", 5),
        ("None", None),
        ("print", print),
        ("'only a docstring'", None),
        ("'a docstring'\n'and a value'", "and a value"),
        ("b'bytes are no docstring'", b"bytes are no docstring"),
        ("1\nx = 2", None),
        ("if True:\n    1", None),
        ("for x in [1]: x", None),
        ("", None),
        ("# nothing\n", None),
        ("\ufeff1 + 1", 2),
    ],
)
def test_the_value_of_the_last_expression(code: str, value: object) -> None:
    assert run(code).value == value


def test_the_value_of_the_last_expression_is_not_printed(
    capsys: pytest.CaptureFixture[str],
) -> None:
    assert run("'shown?'\n'shown?'").value == "shown?"
    assert capsys.readouterr().out == ""


def test_the_last_expression_sees_and_changes_the_names_of_the_script() -> None:
    module = ModuleType("__main__")
    ending = script.run(b"x = 1\n(x := x + 1)", "snippet.py", module)
    assert (ending.value, vars(module)["x"]) == (2, 2)


def test_our_own_future_imports_do_not_reach_the_script() -> None:
    module = ModuleType("__main__")
    script.run(b"x: undefined_at_runtime = 1", "snippet.py", module)
    names: dict[str, Any] = vars(module)
    assert names.get("__annotations__") != {"x": "undefined_at_runtime"}


def test_a_traceback_names_the_line_of_the_last_expression(
    capsys: pytest.CaptureFixture[str],
) -> None:
    run("x = 1\n\nx / 0\n")
    assert 'File "snippet.py", line 3, in <module>' in capsys.readouterr().err


DEEP = 2_000


@pytest.mark.parametrize(
    "code",
    [
        "x = 0" + " + 1" * DEEP + "\nx",
        "x = 0\nif x: pass\n" + "elif x: pass\n" * DEEP + "else: x = 2_000\nx",
    ],
    ids=["sum", "elif"],
)
def test_code_too_deep_for_a_tree_runs_all_the_same(code: str) -> None:
    assert run(code).exit_code == 0


def test_code_too_deep_for_the_compiler_is_an_error_and_not_a_crash(
    capsys: pytest.CaptureFixture[str],
) -> None:
    assert run("[" * 50_000 + "]" * 50_000).exit_code == 1
    assert "Error: " in capsys.readouterr().err
