"""matplotlib without a screen: `show` shows figures here, and nothing is drawn for nobody."""

from __future__ import annotations

import sys

from . import shown
from .imports import replace

TYPE_CHECKING = False  # typing itself takes longer to import than a run takes
if TYPE_CHECKING:
    from typing import Any

#: Weak references to the figures that were shown, by `id`.
_shown: dict[int, Any] = {}


def choose_backend(matplotlib: Any) -> None:  # noqa: ANN401
    """Chooses Agg, which draws without a screen, if neither MPLBACKEND nor a matplotlibrc nor the code has chosen.

    Without that matplotlib tries one toolkit after the other, and may open windows on the server's screen.
    """
    parameters = matplotlib.rcParams
    # not by [], which would make matplotlib choose
    if not isinstance(dict.__getitem__(parameters, "backend"), str):
        dict.__setitem__(parameters, "backend", "agg")


def replace_show(pyplot: Any) -> None:  # noqa: ANN401
    """`pyplot.show` shows the open figures, and closes them as closing their windows would."""

    def show(*args: Any, **kwargs: Any) -> Any:  # noqa: ANN401
        if not shown.is_on() or _has_screen():
            return original(*args, **kwargs)
        block = kwargs.get("block", args[0] if args else None)
        _show_all(pyplot, is_blocking=not pyplot.isinteractive() if block is None else bool(block))
        return None

    original = replace(pyplot.show, show)


def replace_manager_show(backend_bases: Any) -> None:  # noqa: ANN401
    """`Figure.show` shows a figure where the backend has no windows. Those that have windows have a method of their own."""
    base = backend_bases.FigureManagerBase

    def show(manager: Any) -> Any:  # noqa: ANN401
        if not shown.is_on():
            return original(manager)
        _show(manager.canvas.figure)
        return None

    original = replace(base.show, show)


def postpone_idle_drawing(backend_agg: Any) -> None:  # noqa: ANN401
    """Drawing "when idle" after `pyplot.savefig` takes as long as saving, and is for a window: it waits to be needed."""
    canvas_class = backend_agg.FigureCanvasAgg
    draw_idle = canvas_class.draw_idle
    if "draw_idle" in vars(canvas_class) or "__getattr__" in vars(canvas_class):
        return

    def postponing(canvas: Any, *args: Any, **kwargs: Any) -> Any:  # noqa: ANN401
        caller = sys._getframe(1)  # pyright: ignore[reportPrivateUsage]
        is_saving = (
            caller.f_code.co_name == "savefig"
            and caller.f_globals.get("__name__") == "matplotlib.pyplot"
        )
        if not is_saving or canvas.required_interactive_framework is not None:
            # in the order of the class: a canvas with a window has a method of its own
            following = getattr(super(canvas_class, canvas), "draw_idle", None) or draw_idle
            return following(*args, **kwargs)
        if "renderer" in canvas.__dict__:
            del canvas.renderer
            canvas._lastKey = None
        canvas.__dict__["_py_executor_postponed"] = True
        return None

    def missing(canvas: Any, name: str) -> Any:  # noqa: ANN401
        if name == "renderer" and canvas.__dict__.pop("_py_executor_postponed", False):
            canvas.draw()
            return canvas.renderer
        raise AttributeError(f"{type(canvas).__name__!r} object has no attribute {name!r}")

    canvas_class.draw_idle = postponing
    canvas_class.__getattr__ = missing


def remember_shown(figure: Any) -> None:  # noqa: ANN401
    """Notes that a figure has been shown as it is now: at the end of the run it is shown again only if it has changed."""
    import weakref

    figure.stale = False
    _shown[id(figure)] = weakref.ref(figure)


def show_open_figures(close: bool) -> None:
    """Shows the figures that pyplot has open, but for those that are as they were when they were shown."""
    helpers: Any = sys.modules["matplotlib._pylab_helpers"]
    for manager in helpers.Gcf.get_all_fig_managers():
        figure = manager.canvas.figure
        if _is_changed(figure) and _has_content(figure):
            shown.show(figure, "figure")
    if close:
        helpers.Gcf.destroy_all()
    _shown.clear()


def _show_all(pyplot: Any, is_blocking: bool) -> None:  # noqa: ANN401
    helpers: Any = sys.modules["matplotlib._pylab_helpers"]
    for manager in helpers.Gcf.get_all_fig_managers():
        figure = manager.canvas.figure
        # what goes on (plt.pause in a loop, say) is shown as it begins, and at the end of the run as it has become
        if _is_changed(figure) if is_blocking else not _was_shown(figure):
            _show(figure)
    if is_blocking:
        pyplot.close("all")


def _show(figure: Any) -> None:  # noqa: ANN401
    shown.show(figure, "figure")


def _was_shown(figure: Any) -> bool:  # noqa: ANN401
    reference = _shown.get(id(figure))
    return reference is not None and reference() is figure


def _is_changed(figure: Any) -> bool:  # noqa: ANN401
    return not _was_shown(figure) or bool(figure.stale)


def _has_content(figure: Any) -> bool:  # noqa: ANN401
    return len(figure.get_children()) > 1  # the background is one


def _has_screen() -> bool:
    """Whether the code has chosen a backend with windows."""
    plt: Any = sys.modules["matplotlib.pyplot"]
    try:
        return plt._get_backend_mod().FigureCanvas.required_interactive_framework is not None
    except AttributeError:  # matplotlib before 3.6
        backend: Any = getattr(plt, "_backend_mod", None)
        return getattr(backend.FigureCanvas, "required_interactive_framework", None) is not None
