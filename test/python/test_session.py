"""Sessions: cells that are run one after the other in one living interpreter."""

from __future__ import annotations

import sys
from pathlib import Path

from session_process import drive, run_cells, value


def test_a_cell_sees_what_earlier_cells_have_bound(tmp_path: Path) -> None:
    done = run_cells(
        tmp_path,
        "import math\nx = 4",
        "def root():\n    return math.sqrt(x)",
        "x = 9\nroot()",
        "for k in [1]: print([k + x for _ in range(1)])",
        "class Point: pass\nimport pickle\ntype(pickle.loads(pickle.dumps(Point()))) is Point",
    )
    assert done.told == [value(None), value(None), value("3.0"), value(None), value("True")]
    assert done.out == "[10]\n"


def test_the_last_value_is_called_underscore_unless_the_code_has_a_name_like_it(
    tmp_path: Path,
) -> None:
    done = run_cells(tmp_path, "6 * 7", "None", "_ + 1", "_ = 'mine'", "5", "_")
    assert [told[2] for told in done.told] == ["42", None, "43", None, "5", "'mine'"]


def test_features_of_the_future_hold_for_later_cells(tmp_path: Path) -> None:
    done = run_cells(
        tmp_path,
        "from __future__ import annotations",
        "def f(x: not_defined): pass\nf.__annotations__",
    )
    assert done.told[1] == value("{'x': 'not_defined'}")


def test_an_error_is_reported_with_the_lines_of_its_cells_and_the_session_goes_on(
    tmp_path: Path,
) -> None:
    done = run_cells(
        tmp_path,
        "def fail(x):\n    return 1 / x  # in cell 1",
        "before = 1\nfail(0)  # in cell 2\nafter = 1",
        "import sys\nbefore, 'after' in globals(), sys.last_type.__name__",
    )
    assert done.told[1:] == [[1, False, None], value("(1, False, 'ZeroDivisionError')")]
    lines = [line.split("^")[0].strip() for line in done.err.splitlines()]
    assert [line for line in lines if line] == [
        "Traceback (most recent call last):",
        f'File "{tmp_path}/cell2.py", line 2, in <module>',
        "fail(0)  # in cell 2",
        *([] if sys.version_info < (3, 11) else marks(lines, "~~~~")),
        f'File "{tmp_path}/cell1.py", line 2, in fail',
        "return 1 / x  # in cell 1",
        *([] if sys.version_info < (3, 11) else marks(lines, "~~")),
        "ZeroDivisionError: division by zero",
    ]


def marks(lines: list[str], mark: str) -> list[str]:
    """The line of marks under the line of code, if this Python writes one here."""
    return [line for line in lines if line == mark]


def test_a_function_of_an_earlier_cell_has_its_source(tmp_path: Path) -> None:
    done = run_cells(tmp_path, "def f():\n    return 1", "import inspect\ninspect.getsource(f)")
    assert done.told[1] == value(repr("def f():\n    return 1\n"))


def test_a_cell_knows_its_file(tmp_path: Path) -> None:
    done = run_cells(tmp_path, "1", "__file__")
    assert done.told[1] == value(repr(f"{tmp_path}/cell2.py"))


def test_a_syntax_error_runs_nothing(tmp_path: Path) -> None:
    done = run_cells(tmp_path, "print('begun')\n1 +", "'still here', 1")
    assert done.told == [[1, False, None], value("('still here', 1)")]
    assert done.out == ""
    assert f'File "{tmp_path}/cell1.py", line 2' in done.err
    assert "session.py" not in done.err


def test_an_exit_ends_the_cell_and_not_the_session(tmp_path: Path) -> None:
    done = run_cells(
        tmp_path,
        "import sys\nx = 1\nsys.exit(3)",
        "sys.exit('why')",
        "sys.exit()",
        "async def leave(): sys.exit(5)\nawait leave()",
        "x, 'kept'",
    )
    exits = [told[0] for told in done.told]
    assert (exits, done.told[-1]) == ([3, 1, 0, 5, 0], value("(1, 'kept')"))
    assert done.err == "why\n"


def test_a_hook_for_uncaught_errors_is_called_and_may_exit(tmp_path: Path) -> None:
    done = run_cells(
        tmp_path,
        "import sys\ndef hook(kind, error, traceback):\n    print('hook', error)\n    sys.exit(7)\n"
        "sys.excepthook = hook",
        "raise ValueError('no')",
        "1 + 1",
    )
    assert done.told[1:] == [[7, False, None], value("2")]
    assert done.out == "hook no\n"


def test_input_is_at_its_end(tmp_path: Path) -> None:
    done = run_cells(tmp_path, "input()")
    assert done.told == [[1, False, None]]
    assert done.err.splitlines()[-1].startswith("EOFError")


def test_output_is_flushed_after_each_cell_also_of_streams_that_the_code_has_made(
    tmp_path: Path,
) -> None:
    target = tmp_path / "target"
    code = f"import sys; sys.stdout = open({str(target)!r}, 'w'); print(1)"
    done = drive(
        tmp_path,
        f"cell({code!r})\n"
        f"tell(open({str(target)!r}).read())\n"
        "cell('sys.stdout = None')\n"
        "tell(cell('2'))\n",
    )
    assert done.told == ["1\n", value("2")]


def test_a_cell_may_await_outside_of_functions(tmp_path: Path) -> None:
    done = run_cells(
        tmp_path,
        "import asyncio\nasync def double(x):\n    await asyncio.sleep(0)\n    return 2 * x",
        "await double(4)",
        "async def numbers():\n    for n in range(3): yield n\ntotal = 0\n"
        "async for n in numbers(): total += n\ntotal",
        "lock = asyncio.Lock()\nasync with lock: held = lock.locked()\nheld, lock.locked()",
        "[await double(n) async for n in numbers()]",
        "result = await asyncio.gather(double(1), double(2))",
        "result",
    )
    assert [told[2] for told in done.told] == [
        None, "8", "3", "(True, False)", "[0, 2, 4]", None, "[2, 4]",
    ]  # fmt: skip
    assert done.err == ""


def test_a_task_goes_on_while_later_cells_await(tmp_path: Path) -> None:
    done = run_cells(
        tmp_path,
        "import asyncio\nseen = []\nasync def work():\n    for n in range(3):\n"
        "        seen.append(n)\n        await asyncio.sleep(0.01)\n    return 'done'",
        # the task needs the running loop, though only the last line awaits
        "task = asyncio.create_task(work())\nawait asyncio.sleep(0)",
        "seen[:], task.done()",
        "await task",
    )
    assert done.told[2:] == [value("([0], False)"), value("'done'")]


def test_a_cell_that_does_not_await_may_run_a_loop_of_its_own(tmp_path: Path) -> None:
    done = run_cells(
        tmp_path,
        "import asyncio\nasync def f(): return 1\nawait f()",
        "asyncio.run(f())",
        "asyncio.get_event_loop().run_until_complete(f())",
        "asyncio.get_event_loop().close()",
        "await f()",
    )
    assert [told[2] for told in done.told][1] == "1"
    assert done.told[4] == value("1")


def test_an_error_in_code_that_awaits_shows_no_frames_but_the_codes(tmp_path: Path) -> None:
    done = run_cells(
        tmp_path, "import asyncio\nasync def f():\n    await asyncio.sleep(0)\n    1 / 0\nawait f()"
    )
    assert [line for line in done.err.splitlines() if line.startswith("  File")] == [
        f'  File "{tmp_path}/cell1.py", line 5, in <module>',
        f'  File "{tmp_path}/cell1.py", line 4, in f',
    ]


def test_an_exit_in_another_task_ends_the_cell_that_waits(tmp_path: Path) -> None:
    done = run_cells(
        tmp_path,
        "import asyncio, sys\nasync def leave():\n    await asyncio.sleep(0.01)\n    sys.exit(4)\n"
        "task = asyncio.create_task(leave())\nawait asyncio.sleep(60)",
        "await asyncio.sleep(0, 'on')",
    )
    assert done.told == [[4, False, None], value("'on'")]
