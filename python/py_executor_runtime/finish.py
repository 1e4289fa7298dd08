"""Ends the runner's process as the interpreter ends a script, without taking a warm interpreter apart.

Taking apart an interpreter that has pandas imported costs 20 ms and more, since it touches every object. What a script
can see of it is little: threads are waited for, atexit callbacks run, objects that only the script held are finalised,
buffers are flushed. That is done here in CPython's order (Py_FinalizeEx), and then the process just ends. Whenever
something is unusual, the interpreter is left to do it all itself.
"""

from __future__ import annotations

import _thread
import _weakref
import atexit
import sys
from gc import collect, isenabled  # as they are before a script can replace them
from os import WNOHANG, _exit, getpid, kill, waitpid
from types import ModuleType

from . import display, libc
from .interpreter import package_folders
from .link import send_report
from .script import Ending

TYPE_CHECKING = False  # typing itself takes longer to import than a run takes
if TYPE_CHECKING:
    from typing import Any, Callable, NoReturn

#: Of the C module: by the end of a run `signal` may have been emptied.
_set_handler: Any = __import__("_signal").signal
SIGINT = 2
SIG_DFL = 0
_modules_at_start: frozenset[str] = frozenset()
_count_at_start = 0
_last_at_start: object = None
#: The interpreter's own: a script may have put something else in its place.
_modules = sys.modules


def end_process(ending: Ending, reports: int | None) -> NoReturn:
    """Ends the process; raises SystemExit where the interpreter has to do it.

    Args:
        ending: how the script ended.
        reports: where to tell the supervisor; None in a process that the script has forked.
    """
    _wait_for_threads()
    display.finish()
    if _thread._count() > 0:  # pyright: ignore[reportPrivateUsage]
        # daemon threads: only the real end of the interpreter stops them
        _leave_to_interpreter(ending)
    try:
        atexit._run_exitfuncs()  # pyright: ignore[reportPrivateUsage]
    except BaseException:
        pass  # Python 3.9 raises what it has already printed
    if not _flush():
        _leave_to_interpreter(ending)
    if isenabled():
        collect()  # garbage goes while the modules are still there, and all the rest in the same order (Py_FinalizeEx)
    _drop_modules()
    if not _flush():
        _leave_to_interpreter(ending)
    libc.flush_streams()
    if ending.is_interrupt:
        _end_by_interrupt()
    if reports is not None:
        send_report(reports, {"exit_code": ending.exit_code, "has_children": int(_has_children())})
    _exit(ending.exit_code)


def _has_children() -> bool:
    try:
        waitpid(-1, WNOHANG)
    except ChildProcessError:
        return False
    return True


def note_modules() -> None:
    """Notes which modules there are, for all forks of this process: to look at each in a fork would copy its page."""
    global _modules_at_start
    _modules_at_start = frozenset(_modules)


def remember_modules(*, are_noted: bool = False) -> None:
    """Notes which modules were there before the script; they outlive it.

    Args:
        are_noted: whether they are those of `note_modules`, or some of them that no file stands in for.
    """
    global _count_at_start, _last_at_start
    if not are_noted:
        note_modules()
    _count_at_start = len(_modules)
    _last_at_start = next(reversed(_modules), None)


def _are_as_noted() -> bool:
    """Whether no module has come or gone: new ones are always the last. To look at each would copy the pages of all."""
    return len(_modules) == _count_at_start and next(reversed(_modules), None) is _last_at_start


def rehearse() -> None:
    """Touches what the end of any run touches; see runner.rehearse."""
    remember_modules(are_noted=True)
    new_packages()
    _flush()
    collect()


def new_packages() -> list[str]:
    """Top-level packages that the script has imported from where packages are installed."""
    if _are_as_noted():
        return []
    new = [name for name in list(_modules) if name not in _modules_at_start]
    # a script may have put there what is no name
    names = {name.partition(".")[0] for name in new if type(name) is str}
    if not names:
        return []
    folders = tuple(f"{folder}/" for folder in package_folders())
    found: list[str] = []
    for name in names:
        path = getattr(_modules.get(name), "__file__", None)
        if isinstance(path, str) and path.startswith(folders):
            found.append(name)
    return found


def _leave_to_interpreter(ending: Ending) -> NoReturn:
    if ending.is_interrupt:
        _end_by_interrupt()
    raise SystemExit(ending.exit_code)


def _end_by_interrupt() -> NoReturn:
    """Ends as a program that was interrupted has to: by the signal itself, so that its parent can tell."""
    _set_handler(SIGINT, SIG_DFL)
    kill(getpid(), SIGINT)
    _exit(128 + SIGINT)


def _wait_for_threads() -> None:
    threading: Any = _modules.get("threading")
    if threading is None:
        return
    try:
        threading._shutdown()
    except BaseException as error:
        sys.excepthook(type(error), error, error.__traceback__)


def _flush() -> bool:
    """Flushes the standard streams; False if that failed, which CPython reports and turns into exit code 120."""
    for name in ("stdout", "stderr"):
        stream: Any = getattr(sys, name, None)
        try:
            if stream is not None and not stream.closed:
                stream.flush()
        except Exception:
            return False
    return True


def _drop_modules() -> None:
    """Finalises what only the script held.

    As finalize_modules does: the standard streams are put back, modules leave sys.modules, garbage is collected, and
    what modules are still alive then are emptied, the youngest first.
    """
    for name in ("stdin", "stdout", "stderr"):
        setattr(sys, name, getattr(sys, f"__{name}__", None))
    for name in ("last_type", "last_value", "last_traceback", "last_exc"):
        if hasattr(sys, name):
            setattr(sys, name, None)
    names = ["__main__"]
    if not _are_as_noted():
        names += [name for name in _modules if name not in _modules_at_start]
    references = [_weak(_modules.pop(name, None)) for name in names]
    collect()
    for reference in reversed(references):
        survivor = reference()
        if isinstance(survivor, ModuleType):
            _clear(vars(survivor))


def _weak(module: object) -> Callable[[], object | None]:
    """A weak reference, also to what is no module but stands in sys.modules, of which no more can be asked."""
    try:
        return _weakref.ref(module)
    except TypeError:
        return lambda: None


def _clear(names: dict[str, Any]) -> None:
    """Empties a module in CPython's order: private names first, the builtins never."""
    for name in [name for name in names if name.startswith("_") and not name.startswith("__")]:
        names[name] = None
    for name in list(names):
        if name != "__builtins__":
            names[name] = None
