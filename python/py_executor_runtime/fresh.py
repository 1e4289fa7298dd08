"""Makes a forked interpreter look as if it had just been started with the script: nothing of before shows in a run."""

from __future__ import annotations

import gc
import os
import sys

from .link import Task

TYPE_CHECKING = False  # typing itself takes longer to import than a run takes
if TYPE_CHECKING:
    from typing import Any

LIBRARY_FOLDER = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
OWN_PACKAGE = __name__.rpartition(".")[0]
#: A folder whose own size is above this has thousands of entries: asking for single names is then cheaper.
LARGE_FOLDER_BYTES = 64 * 1024


def look_fresh(task: Task) -> None:
    """Sets everything that a script sees of its start, and renews what two forks must not share."""
    sys.argv = [task.script]
    if hasattr(sys, "orig_argv"):  # Python 3.10
        sys.orig_argv = [sys.executable, "-u", task.script]
    sys.path[0] = task.cwd
    sys.path.append(LIBRARY_FOLDER)  # `py_executor`, unless the user has a module of that name
    os.environ["TMPDIR"] = task.temp
    for name in [name for name in sys.modules if name.partition(".")[0] == OWN_PACKAGE]:
        del sys.modules[name]
    _forget_shadowed(task.cwd)
    renew()
    gc.enable()


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


def _forget_shadowed(cwd: str) -> None:
    """Forgets preloaded modules that a file in the working directory stands in for, as it would without a preload."""
    preloaded = {name for name in sys.modules if "." not in name} - _present_at_start
    for name in preloaded & _modules_in(cwd, preloaded):
        for loaded in [key for key in sys.modules if key == name or key.startswith(f"{name}.")]:
            del sys.modules[loaded]


def _modules_in(folder: str, candidates: set[str]) -> set[str]:
    try:
        if os.stat(folder).st_size <= LARGE_FOLDER_BYTES:
            candidates = candidates & {entry.partition(".")[0] for entry in os.listdir(folder)}
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
