"""What a copy of a session must not do in the place of the original."""

from __future__ import annotations

import atexit
import sys

TYPE_CHECKING = False  # typing itself takes longer to import than a run takes
if TYPE_CHECKING:
    from typing import Any


def forget_duties() -> None:
    """Forgets what the original has to do at its end, such as removing its temporary folders.

    What the code of the copy registers from now on is its own.
    """
    atexit._clear()  # pyright: ignore[reportPrivateUsage]
    weakref: Any = sys.modules.get("weakref")
    if weakref is not None:
        # whose callbacks would also come when the copy merely lets go of an object
        weakref.finalize._registry.clear()
        weakref.finalize._registered_with_atexit = False
    _become_child_of_multiprocessing()


def _become_child_of_multiprocessing() -> None:
    """As multiprocessing's own children begin (BaseProcess._bootstrap): without their parent's children and clean-up."""
    processes: Any = sys.modules.get("multiprocessing.process")
    if processes is not None:
        processes._children.clear()
    util: Any = sys.modules.get("multiprocessing.util")
    if util is not None:
        util._finalizer_registry.clear()
        util._run_after_forkers()
        atexit.register(util._exit_function)  # waits for the copy's own children
