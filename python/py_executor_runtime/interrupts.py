"""SIGINT while a session's code runs, and at no other time."""

from __future__ import annotations

TYPE_CHECKING = False  # typing itself takes longer to import than a run takes
if TYPE_CHECKING:
    from typing import Any

#: The C module: a session's code may have emptied `signal`.
_signal: Any = __import__("_signal")
SIGINT = 2
ATTEMPTS = 10


class Interrupts:
    """Lets SIGINT reach a session's code, and keeps it from the code around that.

    An interrupt that was sent just as the code came to its end finds nobody: it must not end the session, nor the code
    that is run next. The code may set a handler of its own, which holds for all that runs later.
    """

    def __init__(self) -> None:
        """From now on interrupts are ignored, until `listen`."""
        self._handler: object = _signal.default_int_handler
        _signal.signal(SIGINT, _nothing)

    def listen(self) -> None:
        """From now on an interrupt does what it does in a script: it raises KeyboardInterrupt, if nothing else is set."""
        _signal.signal(SIGINT, self._handler)

    def ignore(self) -> None:
        """From now on an interrupt does nothing.

        Not SIG_IGN, which a program that a thread of the code starts meanwhile would inherit.
        """
        previous: object = None
        for _ in range(ATTEMPTS):
            try:
                previous = _signal.signal(SIGINT, _nothing)
                break
            except BaseException:
                pass  # an interrupt that came just now is raised here, and nothing is set
        if previous is not None and previous is not _nothing:
            self._handler = previous


def _nothing(_signum: int, _frame: object) -> None:
    pass
