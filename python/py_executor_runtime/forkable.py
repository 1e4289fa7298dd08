"""Whether a fork of a session would work as the session does."""

from __future__ import annotations

import _thread
import os
import sys
import time

from . import native_threads

TYPE_CHECKING = False  # typing itself takes longer to import than a run takes
if TYPE_CHECKING:
    from typing import Any

DESCRIPTORS = "/proc/self/fd"
#: A thread that has been told to end, or waited for, may take a moment to be gone.
THREADS_PATIENCE_SECONDS = 0.1
#: What is named in a reason, at the most.
NAMES = 5
#: Device files that are open while there is a context, and belong to the process that has opened them.
_DEVICES = {"/dev/nvidia-uvm": "CUDA", "/dev/kfd": "ROCm"}


def why_not(pending_tasks: int, own_epoll: int) -> str | None:
    """Why a fork would lack something or hang, with what to do about it, as a sentence; None if it would not.

    Args:
        pending_tasks: of the session's event loop.
        own_epoll: the descriptor of that loop, which is seen to; -1 if there is none.
    """
    return (
        _of_tasks(pending_tasks) or _of_libraries() or _of_descriptors(own_epoll) or _of_threads()
    )


def _of_tasks(count: int) -> str | None:
    if count == 0:
        return None
    return f"{_number(count, 'asyncio task')} still pending: await or cancel what was begun, then fork."


def _of_libraries() -> str | None:
    torch: Any = sys.modules.get("torch")
    try:
        if torch is not None and torch.cuda.is_initialized() is True:
            return _context("CUDA")
    except BaseException:
        pass  # it is some other module, or only half imported
    pyspark: Any = sys.modules.get("pyspark")
    try:
        if pyspark is not None and pyspark.SparkContext._active_spark_context is not None:
            return "A Spark context is connected to its Java process, which can't be shared: stop it, then fork."
    except BaseException:
        pass
    return None


def _context(kind: str) -> str:
    return (
        f"A {kind} context is open, which doesn't survive a fork: keep the data in main memory in this session, "
        "and use the device in what is forked."
    )


def _of_descriptors(own_epoll: int) -> str | None:
    try:
        descriptors = os.listdir(DESCRIPTORS)
    except OSError:
        return None
    for name in descriptors:
        try:
            target = os.readlink(f"{DESCRIPTORS}/{name}")
        except OSError:
            continue  # the one that the folder was listed through
        if target in _DEVICES:
            return _context(_DEVICES[target])
        if target == "anon_inode:[eventpoll]" and int(name) != own_epoll:
            return (
                "An event loop or selector that the code has made is open, which would be shared with a fork: "
                "close it, then fork."
            )
    return None


def _of_threads() -> str | None:
    give_up_at = time.monotonic() + THREADS_PATIENCE_SECONDS
    while True:
        names = _python_threads()
        others = 0 if names else native_threads.count()
        if not names and others == 0:
            return None
        if time.monotonic() > give_up_at:
            break
        time.sleep(0.02)
    if names:
        shown = ", ".join(names[:NAMES]) + (", …" if len(names) > NAMES else "")
        return (
            f"{_number(len(names), 'thread')} alive ({shown}), which a fork would not have: "
            "end and join what was started, then fork."
        )
    return (
        f"{_number(others, 'thread', ' of a library')} alive, which a fork would not have: "
        "do without that library in this session, and use it in what is forked."
    )


def _python_threads() -> list[str]:
    """Names of the threads that run Python code, but for this one."""
    threading: Any = sys.modules.get("threading")
    names: list[str] = []
    try:
        own = threading.get_ident()
        names = [str(thread.name)[:40] for thread in threading.enumerate() if thread.ident != own]
    except BaseException:
        pass  # it isn't loaded, or the code has made something else of it
    unknown = _thread._count() - len(names)  # pyright: ignore[reportPrivateUsage]
    return names + ["unnamed"] * unknown


def _number(count: int, noun: str, whose: str = "") -> str:
    return f"{count} {noun}{whose} is" if count == 1 else f"{count} {noun}s{whose} are"
