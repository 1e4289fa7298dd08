"""Forking where the user's code lives: it may have replaced what is in `os`, and have set handlers that raise."""

from __future__ import annotations

from os import _exit, fork, getpid, waitpid  # as they are before code can replace them

__all__ = ["_exit", "fork", "getpid", "wait_for"]


def wait_for(pid: int) -> None:
    """Waits until a child has ended. Raises nothing."""
    while True:
        try:
            waitpid(pid, 0)
            return
        except ChildProcessError:
            return  # the code ignores SIGCHLD, or waits for all children itself
        except BaseException:
            pass  # a handler of the code's has raised; the child still has to be waited for
