"""Calls something when a library has been imported, and replaces what functions of libraries do.

It costs a look at the name for each import, and nothing else.
"""

from __future__ import annotations

import sys
from types import FunctionType

from .own import load

TYPE_CHECKING = False  # typing itself takes longer to import than a run takes
if TYPE_CHECKING:
    from types import ModuleType
    from typing import Any, Callable

#: For a library's module: which of our modules is about it, and the function there that is called with it.
_HOOKS: dict[str, tuple[str, str]] = {
    "matplotlib": ("pyplot", "choose_backend"),
    "matplotlib.backend_bases": ("pyplot", "replace_manager_show"),
    "matplotlib.backends.backend_agg": ("pyplot", "postpone_idle_drawing"),
    "matplotlib.pyplot": ("pyplot", "replace_show"),
    "PIL.Image": ("viewers", "replace_pil_show"),
    "altair.vegalite.v5.api": ("viewers", "replace_altair_show"),
    "altair.vegalite.v6.api": ("viewers", "replace_altair_show"),
    "bokeh.io.showing": ("viewers", "replace_bokeh_show"),
    "plotly.io._renderers": ("viewers", "replace_plotly_show"),
    "IPython.core.display_functions": ("ipython", "replace_display"),
}
#: The same, for what is called before the module's code runs; what it returns is called after that.
_SURROUNDINGS: dict[str, tuple[str, str]] = {
    "matplotlib.font_manager": ("pyplot", "lend_cache_folder"),
}
#: By name, the `id` of the module that was seen to. Not the module: a script's objects have to go when it ends.
_seen_to: dict[str, int] = {}


class ImportWatcher:
    """An entry of sys.meta_path (PEP 451) that finds what the others find, and is told when it has been imported."""

    @classmethod
    def find_spec(cls, name: str, path: object = None, target: object = None) -> Any:  # noqa: ANN401
        """The spec of a module that is waited for; None for any other."""
        if name not in _HOOKS and name not in _SURROUNDINGS:
            return None
        for finder in sys.meta_path:
            find: Any = None if finder is cls else getattr(finder, "find_spec", None)
            spec = None if find is None else find(name, path, target)
            if spec is not None:
                _call_afterwards(spec.loader, name)
                return spec
        return None


def watch() -> None:
    """Sees to the libraries that are there, and to others as soon as they are imported. May be called again."""
    if ImportWatcher not in sys.meta_path:
        sys.meta_path.insert(0, ImportWatcher)
    see_to_imported()


def see_to_imported() -> None:
    """Sees to the libraries that are there already, as in a template that has them imported."""
    modules = sys.modules
    for name in _HOOKS:
        if name in modules:
            _see_to(name)


def _call_afterwards(loader: Any, name: str) -> None:  # noqa: ANN401
    original: Callable[[ModuleType], None] | None = getattr(loader, "exec_module", None)
    if original is None:
        return

    def exec_module(module: ModuleType) -> None:
        loader.__dict__.pop("exec_module", None)
        leave = _enter(name)
        try:
            original(module)
        finally:
            leave()
        _see_to(name)

    # a frame that the interpreter leaves out of tracebacks, with the others of an import
    code = exec_module.__code__.replace(co_filename="<frozen importlib._bootstrap_external>")
    exec_module.__code__ = code
    try:
        loader.exec_module = exec_module
    except Exception:
        pass  # a loader that is shared, or has slots: then its library isn't told


def _enter(name: str) -> Callable[[], object]:
    try:
        own_module, function = _SURROUNDINGS[name]
        return getattr(load(own_module), function)()
    except Exception:
        return int  # which does nothing


def _see_to(name: str) -> None:
    try:
        if name not in _HOOKS:
            return
        module = sys.modules[name]
        if _seen_to.get(name) == id(module):
            return
        own_module, function = _HOOKS[name]
        getattr(load(own_module), function)(module)
        _seen_to[name] = id(module)
    except Exception:
        pass  # a library of another kind or version than is known here, which is left as it is


def _trampoline(*args: Any, **kwargs: Any) -> Any:  # noqa: ANN401
    return _replacement(*args, **kwargs)  # noqa: F821 # pyright: ignore[reportUndefinedVariable, reportUnknownVariableType]


def replace(function: Any, replacement: Callable[..., Any]) -> Callable[..., Any]:  # noqa: ANN401
    """Makes a library's function do something else, wherever it has been imported to by now.

    Args:
        function: one that is written in Python and has no closure; it stays the same object.
        replacement: what is called instead.

    Returns:
        What the function was.
    """
    code = function.__code__
    if code.co_freevars:
        raise ValueError(f"{function.__name__} has a closure")
    original: Any = FunctionType(
        code, function.__globals__, function.__name__, function.__defaults__
    )
    original.__kwdefaults__ = function.__kwdefaults__
    name = f"_py_executor_{function.__name__}"
    function.__globals__[name] = replacement
    function.__defaults__ = function.__kwdefaults__ = None
    function.__code__ = _trampoline.__code__.replace(
        co_names=(name,),
        co_name=code.co_name,
        co_filename=code.co_filename,
        co_firstlineno=code.co_firstlineno,
    )
    return original
