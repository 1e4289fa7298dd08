"""Imports libraries into a template and does their first-time work, so that no run has to."""

from __future__ import annotations

import importlib
import os
import signal
import sys
import time
from typing import Callable

from . import native_threads, wire
from .interpreter import package_folders, why_not_forkable

#: What the first template has: what the interpreter's own modules need anyway, and what costs a fork next to nothing.
FIRST_MODULES = ("collections", "datetime", "itertools", "json", "math", "random", "re", "time")
#: Importing all the modules of one template, and priming them, may take this long.
IMPORT_SECONDS = 60


def import_all(modules: tuple[str, ...]) -> dict[str, wire.Value]:
    """Imports modules and primes them; without any named, those of the first template.

    Returns:
        Fields for the report: `imported` (name=milliseconds, separated by commas), `failed` (name: reason, a line
        each), `unforkable` (why nothing may be forked from here; empty if it may).
    """
    costs: list[str] = []
    failures: list[str] = []
    # the workspace is not on sys.path: a module of the user's is never imported here
    workspace = sys.path.pop(0)
    # an import that hangs ends this process, and the server sees it: its default is what SIGALRM does
    signal.alarm(IMPORT_SECONDS)
    try:
        for name in modules or FIRST_MODULES:
            started_at = time.perf_counter()
            try:
                importlib.import_module(name)
                _PRIMERS.get(name, _nothing)()
            except Exception as error:
                failures.append(f"{name}: {type(error).__name__}: {error}".splitlines()[0])
                continue
            if modules:
                costs.append(f"{name}={(time.perf_counter() - started_at) * 1000:.1f}")
    finally:
        signal.alarm(0)
        # what packages have added to it stays, as it does in any program
        sys.path.insert(0, workspace)
    return {
        "imported": ",".join(costs),
        "failed": "\n".join(failures),
        "unforkable": why_not_forkable() or _strangers() or _threads(),
    }


def _strangers() -> str:
    """A module that is neither the interpreter's nor installed: an editable install, say, whose source may change."""
    own = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
    homes = tuple(
        f"{folder}/" for folder in (os.path.dirname(os.__file__), own, *package_folders())
    )
    for name, module in list(sys.modules.items()):
        path = getattr(module, "__file__", None)
        if path and not path.startswith(homes) and name != "__main__":
            return f"{name} comes from {path}, which may change at any time"
    return ""


def _threads() -> str:
    """Threads that would be missing in a fork."""
    count = native_threads.count(libraries=())
    return f"{count} threads are alive after the imports" if count > 0 else ""


def _nothing() -> None:
    pass


def _prime_numpy() -> None:
    numpy = sys.modules["numpy"]
    table = numpy.arange(12).reshape(3, 4) * 1.5
    repr(table.sum(axis=0).mean())
    repr(numpy.random.default_rng(0).normal(size=3))
    str(table @ table.T)


def _prime_pandas() -> None:
    import io

    pandas = sys.modules["pandas"]
    frame = pandas.DataFrame({"x": range(100), "y": [0.5] * 100, "z": ["a", "b"] * 50})
    repr(frame.x.sum())
    repr(frame)
    repr(frame.describe())
    repr(frame.groupby("z").agg({"x": "sum", "y": "mean"}).sort_values("x"))
    text = frame.head(3).to_csv(index=False)
    repr(pandas.read_csv(io.StringIO(text)).merge(frame, on="x")["z_x"].value_counts())
    repr(pandas.to_datetime(pandas.Series(["2024-01-31"])).dt.month)


def _prime_matplotlib() -> None:
    import io

    # pyplot itself is only imported: the backend is for the snippet to choose
    importlib.import_module("matplotlib.pyplot")
    backend = importlib.import_module("matplotlib.backends.backend_agg")
    figure_module = importlib.import_module("matplotlib.figure")
    figure = figure_module.Figure()
    canvas = backend.FigureCanvasAgg(figure)
    axes = figure.add_subplot()
    axes.plot([1, 3, 2], label="a")
    axes.set_title("title")
    axes.legend()
    canvas.print_png(io.BytesIO())


_PRIMERS: dict[str, Callable[[], None]] = {
    "numpy": _prime_numpy,
    "pandas": _prime_pandas,
    "matplotlib": _prime_matplotlib,
}
