"""Loads modules of this package in a run, where `sys.modules` belongs to the script.

They import nothing but each other when they are loaded: the standard library's modules may be the user's by then.
"""

from __future__ import annotations

import sys

TYPE_CHECKING = False  # typing itself takes longer to import than a run takes
if TYPE_CHECKING:
    from types import ModuleType
    from typing import Any

_PACKAGE = __name__.rpartition(".")[0]
_ROOT = _PACKAGE.partition(".")[0]
_own: dict[str, ModuleType] = {}


def keep() -> None:
    """Keeps hold of the runtime's modules, which leave `sys.modules` before a script begins (`fresh.look_fresh`)."""
    _own.update(_present())


def load(name: str) -> Any:  # noqa: ANN401
    """The module of that name in this package; it shows in `sys.modules` only while it is loaded.

    Raises:
        Exception: what importing it raises, also because of what the script has done to the interpreter.
    """
    full_name = f"{_PACKAGE}.{name}"
    module = _own.get(full_name)
    if module is not None:
        return module
    before = _present()
    sys.modules.update(_own)
    try:
        __import__(full_name)
        keep()
    finally:
        for key in _present():
            del sys.modules[key]
        sys.modules.update(before)
    return _own[full_name]


def library(name: str) -> Any:  # noqa: ANN401
    """A module of someone's library, which is imported if it isn't yet.

    Raises:
        ImportError: it isn't installed.
    """
    __import__(name)
    return sys.modules[name]


def is_a(value: object, *kinds: type) -> bool:
    """`isinstance`, of which a type checker draws no conclusions: the items of what the user's code made are anything."""
    return isinstance(value, kinds)


def _present() -> dict[str, ModuleType]:
    return {
        name: module
        for name, module in list(sys.modules.items())
        if isinstance(name, str) and name.partition(".")[0] == _ROOT  # pyright: ignore[reportUnnecessaryIsInstance]
    }
