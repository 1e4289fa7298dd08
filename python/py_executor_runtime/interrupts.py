"""Signals while a session's code runs, and at no other time."""

from __future__ import annotations

import select

TYPE_CHECKING = False  # typing itself takes longer to import than a run takes
if TYPE_CHECKING:
    from typing import Any, Callable

#: The C module: a session's code may have emptied `signal`.
_signal: Any = __import__("_signal")
SIGINT = 2
ATTEMPTS = 10
_SIG_BLOCK, _SIG_SETMASK = _signal.SIG_BLOCK, _signal.SIG_SETMASK
_ALL = _signal.valid_signals() - {_signal.SIGKILL, _signal.SIGSTOP}


class Interrupts:
    """Lets signals reach a session's code, and keeps them from the code around that.

    An interrupt (SIGINT) that was sent just as the code came to its end finds nobody: it must not end the session, nor
    the code that is run next. The code may set a handler of its own, which holds for all that runs later.

    Other signals wait, but for the time in which the session waits for something to do: what the code has arranged for
    them (a timer's handler that raises, say) would end the session if it came in the middle of the session's own work.
    Where the code has other threads, these may be sent them nevertheless (pthread_sigmask(3)).
    """

    def __init__(self) -> None:
        """From now on interrupts are ignored and other signals wait, but for `during` and `wait_for`."""
        self._handler: object = _signal.default_int_handler
        self._mask: object = _signal.pthread_sigmask(_SIG_BLOCK, ())
        """What the code itself wants blocked."""
        _signal.signal(SIGINT, _nothing)
        self._block()

    def during(self, work: Callable[[], None]) -> None:
        """Calls what runs code of the session's. Signals reach that as they reach a script: an interrupt raises
        KeyboardInterrupt, if nothing else is set. Whatever is raised ends the work, and is not raised here.
        """
        try:
            try:
                self._listen()
                work()
            finally:
                self._ignore()
        except BaseException:
            self._ignore_surely()  # once more: it may be what an interrupt has ended

    def _listen(self) -> None:
        self.unblock()
        _signal.signal(SIGINT, self._handler)

    def _ignore(self) -> None:
        # not SIG_IGN, which a program that a thread of the code starts meanwhile would inherit
        self._block()
        previous: object = None
        for _ in range(ATTEMPTS):
            try:
                previous = _signal.signal(SIGINT, _nothing)
                break
            except BaseException:
                pass  # an interrupt that came just now is raised here, and nothing is set
        if previous is not None and previous is not _nothing:
            self._handler = previous

    def unblock(self) -> None:
        """Lets signals through that the code has not blocked itself. What their handlers raise then is of no interest."""
        try:
            _signal.pthread_sigmask(_SIG_SETMASK, self._mask)
        except BaseException:
            pass  # the mask is set all the same

    def wait_for(self, fd: int) -> None:
        """Waits until there is something to read. Signals do meanwhile what the code has arranged; nothing is raised."""
        poller = select.poll()
        poller.register(fd, select.POLLIN)
        is_ready = False
        while not is_ready:
            try:
                is_ready = self._is_ready(poller)
            except BaseException:
                self._ignore_surely()

    def _is_ready(self, poller: select.poll) -> bool:
        try:
            self.unblock()
            return len(poller.poll()) > 0
        except BaseException:
            return False
        finally:
            self._block()

    def _ignore_surely(self) -> None:
        """As `_ignore`, which a signal may end before its first line: another one hardly comes at that very moment again."""
        for _ in range(ATTEMPTS):
            try:
                self._ignore()
                break
            except BaseException:
                pass

    def _block(self) -> None:
        mask: object = None
        for _ in range(ATTEMPTS):
            try:
                mask = _signal.pthread_sigmask(_SIG_BLOCK, _ALL)
                break
            except BaseException:
                pass  # a handler of the code's has raised; it may have changed the mask, too
        if mask is not None and mask != _ALL:
            self._mask = mask


def _nothing(_signum: int, _frame: object) -> None:
    pass
