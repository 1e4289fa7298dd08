"""What the server wants to know about an interpreter."""

from __future__ import annotations

import os
import sys

from .wire import Value


def describe() -> dict[str, Value]:
    """The fields of a READY frame."""
    return {
        "pid": os.getpid(),
        "version": sys.version.split()[0],
        "implementation": sys.implementation.name,
        "executable": sys.executable,
        "prefix": sys.prefix,
    }
