"""What the server wants to know about an interpreter."""

from __future__ import annotations

import os
import sys

from . import wire


def describe() -> dict[str, wire.Value]:
    """The fields of a READY frame that every process sends."""
    return {
        "pid": os.getpid(),
        "version": sys.version.split()[0],
        "implementation": sys.implementation.name,
        "executable": sys.executable,
        "prefix": sys.prefix,
    }


def package_folders() -> list[str]:
    """Folders in which packages are installed; a change in one of them makes what was imported from there stale."""
    return [
        path
        for path in sys.path
        if path.endswith(("site-packages", "dist-packages")) and os.path.isdir(path)
    ]


def why_not_forkable() -> str:
    """Why runs must not be forked from this interpreter; empty if they may."""
    if sys.implementation.name != "cpython":
        return f"{sys.implementation.name} is not known to survive a fork"
    is_gil_enabled = getattr(sys, "_is_gil_enabled", None)
    if is_gil_enabled is not None and not is_gil_enabled():
        return "a free-threaded interpreter may have threads of its own"
    return ""
