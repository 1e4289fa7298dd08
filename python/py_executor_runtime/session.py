"""A session: code that runs piece by piece in one living interpreter, each piece with what the earlier ones have left."""

from __future__ import annotations

import gc
import sys
from types import CodeType, ModuleType

from . import copied, display, forkable, libc, script, variables
from .bounded_repr import bounded_repr
from .cell_loop import CellLoop, without_loop_frames
from .containment.denials import classify
from .forking import getpid
from .fresh import renew
from .interrupts import SIGINT, Interrupts
from .script import Ending

TYPE_CHECKING = False  # typing itself takes longer to import than a run takes
if TYPE_CHECKING:
    from typing import Any

#: ast.PyCF_ALLOW_TOP_LEVEL_AWAIT, without importing ast.
PyCF_ALLOW_TOP_LEVEL_AWAIT = 0x2000
#: inspect.CO_COROUTINE, without importing inspect: the code awaits.
CO_COROUTINE = 0x80
#: What a shell makes of a program that was interrupted.
EXIT_CODE_OF_INTERRUPT = 128 + SIGINT


class Session:
    """The main module of a process, in which one cell after the other is run.

    A cell is like a script (`script.run`), but for this: names, imports and `from __future__` hold for the cells after
    it; `_` is the last value that was not None, as in the interactive interpreter; `await`, `async for` and `async with`
    may stand outside of functions. A cell that awaits runs in the event loop of the session; any other outside of it,
    so that `asyncio.run` works there. What a cell leaves in the loop goes on while later cells await, and only then.

    Between cells SIGINT does nothing; during one it is an interrupt. Handlers of other signals are called while code
    runs, and in `wait_for`.

    Attributes:
        pid: the process that the session is. A cell may fork: then `run_cell` returns in the new process, too, which
            has to be ended.
    """

    def __init__(self, module: ModuleType) -> None:
        """The module is `__main__`, and in `sys.modules` as such. Called in the main thread, as all the methods."""
        self.pid = getpid()
        self._module = module
        self._builtins: Any = vars(module)["__builtins__"]
        self._future_flags = 0
        self._loop = CellLoop()
        self._interrupts = Interrupts()
        self._inherited: dict[str, Any] = {}

    def run_cell(self, code: bytes, path: str) -> Ending:
        """Runs UTF-8 text as the next cell.

        Args:
            code: the text.
            path: a file that has the text, another one for each cell, and for as long as the session lives: tracebacks
                and `inspect` read it.

        Returns:
            How the cell ended; the session goes on in any case. After an exit or an error it has what was bound before.
            An interrupt that the code didn't handle has the exit code 130 and is told apart by `is_interrupt`.
        """
        ending = Ending(EXIT_CODE_OF_INTERRUPT, is_interrupt=True)

        def run() -> None:
            nonlocal ending
            ending = self._run(code, path)
            _flush()

        self._interrupts.during(run)
        return ending

    def represent(self, value: object, limit: int) -> tuple[str, bool]:
        """The repr of a cell's value, as `bounded_repr`; an interrupt ends one that takes too long."""
        text = ("<object whose repr raised>"[:limit], True)

        def show() -> None:
            nonlocal text
            text = bounded_repr(value, limit)

        self._interrupts.during(show)
        return text

    def show(self, ending: Ending) -> None:
        """Shows a cell's value and the figures that it has left open; an interrupt ends what takes too long.

        What an interrupted cell has left open stays so for the next one: the host waits only a moment for it to settle.
        """

        def show() -> None:
            display.show_result(ending.value)
            display.finish(close_figures=True, show_figures=not ending.is_interrupt)

        self._interrupts.during(show)

    def wait_for(self, fd: int) -> None:
        """Waits until there is something to read; raises nothing, whatever signals come."""
        self._interrupts.wait_for(fd)

    def before_end(self) -> None:
        """To be called before the process is ended as a script's is: signals do to that what the code has arranged."""
        self._interrupts.unblock()

    def names(self) -> set[str]:
        """The names that the code has bound: not modules, nor what begins with an underscore."""
        return {name for name, _ in variables.of(self._module)}

    def variables(self, limit: int) -> list[dict[str, variables.Field]]:
        """What the names stand for; see `variables.describe`. An interrupt ends what takes too long."""
        listing: list[dict[str, variables.Field]] = []
        self._interrupts.during(lambda: variables.describe(self._module, limit, listing))
        return listing

    def why_unforkable(self) -> str | None:
        """Why a copy of the process would not work as the original does, as a sentence; None if it would."""
        return forkable.why_not(self._loop.pending(), self._loop.descriptor())

    def after_fork(self) -> None:
        """Makes a forked process a session of its own, which shares nothing with the original that could be changed.

        The caller has set TMPDIR and the working directory, and calls `finish.remember_modules` after this. What the
        original holds is held here to the end, so that nothing is finalised (files flushed, temporary folders removed)
        that is still the original's. Random numbers start anew, but for generators that the code has made for itself.
        """
        self.pid = getpid()
        self._inherited = dict(vars(self._module))
        gc.freeze()  # the collector's marks would copy every page that is shared
        copied.forget_duties()
        self._loop.renew()
        renew()

    def _run(self, code: bytes, path: str) -> Ending:
        try:
            value = self._execute(code, path)
        except SystemExit as error:
            return Ending(script.exit_code_of(error))
        except BaseException as error:
            return _report(error)
        if value is not None:
            self._builtins._ = value
        return Ending(0, value=value)

    def _execute(self, code: bytes, path: str) -> object:
        flags = self._future_flags | PyCF_ALLOW_TOP_LEVEL_AWAIT
        body, last = script.compile_apart(code, path, flags)
        self._future_flags |= body.co_flags & script.FUTURE_FLAGS
        names = vars(self._module)
        names["__file__"] = path
        if _awaits(body) or (last is not None and _awaits(last)):
            return self._loop.run(_evaluate(body, last, names))
        exec(body, names)
        return None if last is None else eval(last, names)


async def _evaluate(body: CodeType, last: CodeType | None, names: dict[str, Any]) -> object:
    """Both parts in one task, also the one that doesn't await: it may need the running loop."""
    value: Any = None
    for part in (body, last):
        if part is not None:
            value = eval(part, names)
            if _awaits(part):
                value = await value
    return value


def _awaits(code: CodeType) -> bool:
    return code.co_flags & CO_COROUTINE != 0


def _report(error: BaseException) -> Ending:
    """Reports what a cell has raised as the interpreter does; a hook that exits then ends the cell."""
    error.__traceback__ = without_loop_frames(error.__traceback__)
    try:
        script.report_uncaught(error)
    except SystemExit as another:
        return Ending(script.exit_code_of(another))
    if type(error) is KeyboardInterrupt:
        return Ending(EXIT_CODE_OF_INTERRUPT, is_interrupt=True)
    return Ending(1, denial=classify(error))


def _flush() -> None:
    """Flushes the standard streams, also those that the code has put in their place, and C's."""
    for name in ("stdout", "stderr"):
        for stream in (getattr(sys, name, None), getattr(sys, f"__{name}__", None)):
            try:
                stream.flush()  # pyright: ignore[reportOptionalMemberAccess]
            except KeyboardInterrupt:
                raise
            except BaseException:
                pass  # it is None, or closed, or none at all
    libc.flush_streams()
