"""Interrupts of a session: they end what runs, and never the session."""

from __future__ import annotations

from pathlib import Path

import pytest
from session_process import drive, value


@pytest.mark.parametrize(
    "code",
    [
        "ready()\nwhile True: pass",
        "import time\nready()\ntime.sleep(60)",
        "import asyncio\nbound = 1\nready()\nawait asyncio.sleep(60)",
        "import asyncio\nasync def busy():\n    ready()\n    while True: pass\nawait busy()",
        """import asyncio
async def busy():
    ready()
    while True: pass
task = asyncio.create_task(busy())
await asyncio.sleep(60)""",
        """import asyncio
def busy():
    ready()
    while True: pass
asyncio.get_running_loop().call_soon(busy)
await asyncio.sleep(60)""",
    ],
    ids=["loop", "sleep", "await", "coroutine", "task", "callback"],
)
def test_an_interrupt_ends_the_cell_and_not_the_session(code: str, tmp_path: Path) -> None:
    done = drive(
        tmp_path,
        f"cell('kept = 1')\ninterrupt_when_ready()\ntell(cell({code!r}))\n"
        "tell(cell('import asyncio\\nawait asyncio.sleep(0, kept)'))",
    )
    assert done.told == [[130, True, None], value("1")]
    assert done.err.startswith("Traceback (most recent call last):\n")
    assert f'File "{tmp_path}/cell2.py"' in done.err.splitlines()[1]
    assert done.err.splitlines()[-1] == "KeyboardInterrupt" or "Task exception" in done.err


def test_code_may_handle_an_interrupt(tmp_path: Path) -> None:
    done = drive(
        tmp_path,
        "interrupt_when_ready()\n"
        "tell(cell('import time\\ntry:\\n  ready()\\n  time.sleep(60)\\nexcept KeyboardInterrupt: x = 1\\nx'))\n"
        "tell(cell('import signal\\ndef handle(*_): seen.append(1)\\nseen = []\\n"
        "_ = signal.signal(signal.SIGINT, handle)'))\n"
        "interrupt_when_ready()\n"
        "tell(cell('ready()\\nwhile not seen: time.sleep(0.01)\\nseen'))",
    )
    assert done.told == [value("1"), value(None), value("[1]")]


def test_an_interrupt_between_cells_does_nothing(tmp_path: Path) -> None:
    done = drive(
        tmp_path,
        "os.kill(os.getpid(), 2)\ntell(cell('1'))\nos.kill(os.getpid(), 2)\ntime.sleep(0.1)\ntell(cell('2'))\n"
        "tell(cell('import signal\\nsignal.getsignal(signal.SIGINT) is signal.default_int_handler'))",
    )
    assert done.told == [value("1"), value("2"), value("True")]


def test_a_storm_of_interrupts_ends_cells_at_most(tmp_path: Path) -> None:
    done = drive(
        tmp_path,
        """
cell("import asyncio\\nawait asyncio.sleep(0)")  # an import that is interrupted is not repeated by Python
parent = os.getpid()
pid = os.fork()
if pid == 0:
    for _ in range(300):
        os.kill(parent, 2)
        time.sleep(0.002)
    os._exit(0)
while os.waitpid(pid, os.WNOHANG)[0] == 0:
    cell("sum(range(1000))")
    cell("import asyncio\\nawait asyncio.sleep(0.001)")
tell(cell("import asyncio\\nawait asyncio.sleep(0.001, 'alive')"))
""",
    )
    assert done.told == [value("'alive'")]


def test_an_interrupt_ends_a_repr_that_takes_too_long(tmp_path: Path) -> None:
    done = drive(
        tmp_path,
        "interrupt_when_ready()\n"
        "tell(cell('class Slow:\\n    def __repr__(self):\\n        ready()\\n"
        "        while True: pass\\nSlow()'))",
    )
    assert done.told[0][2] is not None
    assert "KeyboardInterrupt" in done.told[0][2]
