"""The C library, for what Python has no function for."""

from __future__ import annotations

import sys

TYPE_CHECKING = False  # typing itself takes longer to import than a run takes
if TYPE_CHECKING:
    from typing import Any

PR_SET_PDEATHSIG = 1
PR_SET_CHILD_SUBREAPER = 36

_is_linux = sys.platform.startswith("linux")
#: The library and its functions, looked up once: a fork has them, and they work whatever a script does to the builtins.
_library: Any = None
_flush: Any = None


class _Nothing:
    """Stands in for the library where there is none: nothing can be done, and nothing is there."""

    @staticmethod
    def prctl(*_arguments: int) -> int:
        return -1


def prctl(option: int, argument: int) -> bool:
    """prctl(2); False where there is none, or it fails."""
    return _is_linux and load().prctl(option, argument, 0, 0, 0) == 0


def flush_streams() -> None:
    """Flushes what C code has printed, as exit(3) does."""
    if _flush is not None:
        _flush(None)


def give_memory_back() -> None:
    """Returns free memory to the system (malloc_trim(3), of glibc alone)."""
    trim = getattr(load(), "malloc_trim", None)
    if trim is not None:
        trim(0)


def load() -> Any:  # noqa: ANN401
    """The library as ctypes has it."""
    global _library, _flush
    if _library is None:
        try:
            import ctypes

            _library = ctypes.CDLL(None)
            _flush = _library.fflush
        except ImportError:  # a Python that was built without libffi
            _library = _Nothing()
    return _library
