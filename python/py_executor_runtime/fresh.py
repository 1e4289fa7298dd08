"""Makes a forked interpreter look as if it had just been started with the script: nothing of before shows in a run."""

from __future__ import annotations

import gc
import os
import sys

from . import finish
from .link import Task

TYPE_CHECKING = False  # typing itself takes longer to import than a run takes
if TYPE_CHECKING:
    from typing import Any

LIBRARY_FOLDER = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
OWN_PACKAGE = __name__.rpartition(".")[0]
#: A folder whose own size is above this has thousands of entries: asking for single names is then cheaper.
LARGE_FOLDER_BYTES = 64 * 1024


def look_fresh(task: Task) -> bool:
    """Sets everything that a script sees of its start, and renews what two forks must not share.

    Returns:
        Whether the modules are still those that were noted (`note_modules`), less this package's own.
    """
    sys.argv = [task.script]
    if hasattr(sys, "orig_argv"):  # Python 3.10
        sys.orig_argv = [sys.executable, "-u", task.script]
    sys.path[0] = task.cwd
    sys.path.append(LIBRARY_FOLDER)  # `py_executor`, unless the user has a module of that name
    os.environ["TMPDIR"] = task.temp
    are_noted = _noted is not None
    modules = _noted or _Modules()
    for name in modules.own:
        sys.modules.pop(name, None)
    if _forget_shadowed(task.cwd, modules.preloaded):
        are_noted = False
    renew()
    gc.enable()
    return are_noted


def renew() -> None:
    """Renews state that libraries made when they were imported, and that two forks must not share.

    `random` and OpenSSL see to themselves in a fork, and `uuid4` and `secrets` ask the kernel.
    """
    tempfile: Any = sys.modules.get("tempfile")
    if tempfile is not None:
        tempfile.tempdir = None
        tempfile._name_sequence = None
    numpy_random: Any = sys.modules.get("numpy.random")
    if numpy_random is not None:
        numpy_random.seed()
    threading: Any = sys.modules.get("threading")
    if threading is not None:
        threading.main_thread()._set_native_id()  # a fork leaves it at its parent's
    processes: Any = sys.modules.get("multiprocessing.process")
    if processes is not None:
        processes.ORIGINAL_DIR = os.getcwd()
        processes.current_process().authkey = os.urandom(32)


def note_modules() -> None:
    """Notes which modules there are, for all forks of this process. To look at each in a fork would copy its page."""
    global _noted
    _noted = _Modules()
    finish.note_modules()


class _Modules:
    """What is loaded before a script begins.

    Attributes:
        own: names of this package's modules.
        preloaded: top-level names that a file could stand in for.
    """

    def __init__(self) -> None:
        names = list(sys.modules)
        self.own = [name for name in names if name.partition(".")[0] == OWN_PACKAGE]
        self.preloaded = {name for name in names if "." not in name} - _present_at_start


_noted: _Modules | None = None


def _forget_shadowed(cwd: str, preloaded: set[str]) -> bool:
    """Forgets preloaded modules that a file in the working directory stands in for, as it would without a preload;
    returns whether there were any."""
    shadowed = _modules_in(cwd, preloaded)
    for name in shadowed:
        for loaded in [key for key in sys.modules if key == name or key.startswith(f"{name}.")]:
            del sys.modules[loaded]
    return bool(shadowed)


def _modules_in(folder: str, candidates: set[str]) -> set[str]:
    try:
        if os.stat(folder).st_size <= LARGE_FOLDER_BYTES:
            entries = {entry.partition(".")[0] for entry in os.listdir(folder)}
            candidates = {name for name in entries if name in candidates}
    except OSError:
        return set()
    # a folder without __init__.py is only a namespace, which comes after any installed package
    places = ("{}.py", "{}/__init__.py")
    return {
        name
        for name in candidates
        if any(os.path.exists(f"{folder}/{place.format(name)}") for place in places)
    }


def _startup_modules() -> set[str]:
    """What every interpreter has from its start, or built in: no file can stand in for it."""
    main: Any = sys.modules["__main__"]
    return {*sys.builtin_module_names, *getattr(main, "MODULES_AT_START", ())}


_present_at_start = _startup_modules()
