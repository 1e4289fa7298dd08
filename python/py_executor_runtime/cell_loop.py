"""The event loop of a session, in which code that awaits runs."""

from __future__ import annotations

import os
import sys

TYPE_CHECKING = False  # typing itself takes longer to import than a run takes
if TYPE_CHECKING:
    import asyncio
    import selectors
    from collections.abc import Coroutine
    from types import FrameType, TracebackType
    from typing import Any

#: The C module: a session's code may have emptied `signal`.
_signal: Any = __import__("_signal")
SIGINT = 2
_LIBRARY = os.path.dirname(os.__file__)
#: Where the frames of a loop that waits, or sees to its tasks, are from.
_LOOP_FILES = (f"{_LIBRARY}/asyncio/", f"{_LIBRARY}/selectors.py")


class CellLoop:
    """One event loop, made when it is first needed, that lives as long as the session.

    It runs only while code awaits. Tasks that code has left behind wait meanwhile: they go on when other code of the
    session awaits, so that nothing in a session changes while it is idle.
    """

    def __init__(self) -> None:
        """Imports nothing: asyncio takes longer to import than most code takes to run."""
        self._loop: asyncio.AbstractEventLoop | None = None
        self._selector: selectors.BaseSelector | None = None

    def run(self, coroutine: Coroutine[Any, Any, object]) -> object:
        """Runs a coroutine to its end, and other tasks of the loop meanwhile.

        An interrupt cancels what waits: what the code does then, it does in its own time. It raises KeyboardInterrupt
        where code is at work, as in a script.

        Returns:
            What the coroutine returns.

        Raises:
            BaseException: what it raises; or what another task raised to end the program: SystemExit, KeyboardInterrupt.
        """
        loop = self._open()
        outcome = _Outcome()
        task = loop.create_task(outcome.of(coroutine))
        task.add_done_callback(lambda _: loop.stop())
        is_interrupted = False

        def interrupt(signum: int, frame: FrameType | None) -> None:
            nonlocal is_interrupted
            # raised within the loop it would tear what the loop is about to do
            if not _is_of_loop(frame, loop):
                _signal.default_int_handler(signum, frame)
            is_interrupted = True
            loop.call_soon_threadsafe(task.cancel)

        is_handling = _signal.getsignal(SIGINT) is _signal.default_int_handler
        if is_handling:
            _signal.signal(SIGINT, interrupt)
        try:
            _run_until_done(loop, task)
        finally:
            task.cancel()  # does nothing, unless another task wants the program to end
            _run_until_done(loop, task)
            if is_handling and _signal.getsignal(SIGINT) is interrupt:
                _signal.signal(SIGINT, _signal.default_int_handler)
            self._end_idle_threads()
        if task.cancelled():  # before it had begun
            coroutine.close()
            raise KeyboardInterrupt
        if outcome.error is None:
            return outcome.value
        if is_interrupted and type(outcome.error).__name__ == "CancelledError":
            raise KeyboardInterrupt().with_traceback(outcome.error.__traceback__)
        raise outcome.error

    def pending(self) -> int:
        """How many tasks have been begun and have not ended."""
        if self._loop is None or self._loop.is_closed():
            return 0
        import asyncio

        return len(asyncio.all_tasks(self._loop))

    def descriptor(self) -> int:
        """The descriptor through which the loop waits (epoll(7)); -1 if there is none."""
        if self._selector is None or self._loop is None or self._loop.is_closed():
            return -1
        fileno = getattr(self._selector, "fileno", None)
        return -1 if fileno is None else fileno()

    def renew(self) -> None:
        """In a fork: a new loop in the place of the one that was forked, which is closed.

        What a fork tells an epoll descriptor holds for the process it was forked from, too (epoll(7)): closing the loop
        as it is would leave the original deaf. So the descriptor is replaced by another one before.
        """
        descriptor = self.descriptor()
        if self._loop is None or descriptor < 0:
            return
        import select

        with select.epoll() as own:
            os.dup2(own.fileno(), descriptor, inheritable=False)
        self._loop.close()
        self._open()

    def _open(self) -> asyncio.AbstractEventLoop:
        import asyncio

        if self._loop is None or self._loop.is_closed():
            import selectors

            # not the kind that the code may have set for itself: of this one it is known how to fork it
            self._selector = selectors.DefaultSelector()
            self._loop = asyncio.SelectorEventLoop(self._selector)
        asyncio.set_event_loop(self._loop)  # for code that doesn't await; asyncio.run unsets it
        return self._loop

    def _end_idle_threads(self) -> None:
        """Ends the threads of asyncio.to_thread and of name look-ups: idle ones would keep a session from being forked.

        The loop makes new ones when it needs them. A thread that is at work finishes that first.
        """
        loop: Any = self._loop
        executor: Any = getattr(loop, "_default_executor", None)
        if getattr(executor, "_thread_name_prefix", "") == "asyncio":  # else the code has set it
            loop._default_executor = None
            executor.shutdown(wait=False)


class _Outcome:
    """What a coroutine came to. Nothing it raises gets into the loop, which would pass on an exit, frames and all."""

    def __init__(self) -> None:
        self.value: object = None
        self.error: BaseException | None = None

    async def of(self, coroutine: Coroutine[Any, Any, object]) -> None:
        try:
            self.value = await coroutine
        except BaseException as error:
            self.error = error


def without_loop_frames(traceback: TracebackType | None) -> TracebackType | None:
    """The traceback from the first frame on that is neither the runtime's own nor of asyncio."""
    own = os.path.dirname(__file__) + "/"
    while traceback is not None and traceback.tb_frame.f_code.co_filename.startswith(
        (own, *_LOOP_FILES)
    ):
        traceback = traceback.tb_next
    return traceback


def _run_until_done(loop: asyncio.AbstractEventLoop, task: asyncio.Task[None]) -> None:
    while (
        not task.done()
    ):  # the code may stop the loop, or an earlier run may have asked for it too late
        loop.run_forever()


def _is_of_loop(frame: FrameType | None, loop: asyncio.AbstractEventLoop) -> bool:
    """Whether the loop itself is at work there, and not a task or a callback."""
    if frame is None or not frame.f_code.co_filename.startswith(_LOOP_FILES):
        return False
    asyncio: Any = sys.modules["asyncio"]
    return asyncio.current_task(loop) is None
