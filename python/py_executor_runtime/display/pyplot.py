"""matplotlib without a screen: `show` shows figures here, and nothing is drawn for nobody."""

from __future__ import annotations

import sys

from . import shown
from .imports import replace

TYPE_CHECKING = False  # typing itself takes longer to import than a run takes
if TYPE_CHECKING:
    from typing import Any, Callable

_super: Any = super
#: Attribute of a canvas that has to draw before it has a renderer.
_POSTPONED = "_py_executor_postponed"
#: By `id`: a weak reference to a figure that was shown, and the hash of its picture.
_shown: dict[int, tuple[Any, int]] = {}


def choose_backend(matplotlib: Any) -> None:  # noqa: ANN401
    """Chooses Agg, which draws without a screen, if neither MPLBACKEND nor a matplotlibrc nor the code has chosen.

    Without that matplotlib tries one toolkit after the other, and may open windows on the server's screen.
    """
    parameters = matplotlib.rcParams
    plain: Any = dict  # by its [] and not the parameters' own, which would make matplotlib choose
    if not isinstance(plain.__getitem__(parameters, "backend"), str):
        plain.__setitem__(parameters, "backend", "agg")


def lend_cache_folder() -> Callable[[], None]:
    """While matplotlib asks fontconfig for fonts, that may keep what it finds: else it complains on stderr where it can't
    write to its own cache (fonts-conf(5), `cachedir`). Returns what puts things back."""
    import os
    import tempfile

    name = "XDG_CACHE_HOME"
    before = os.environ.get(name)
    os.environ[name] = tempfile.gettempdir()

    def put_back() -> None:
        if before is None:
            os.environ.pop(name, None)
        else:
            os.environ[name] = before

    return put_back


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
        _show_if_changed(manager.canvas.figure)
        return None

    original = replace(base.show, show)


def postpone_idle_drawing(backend_agg: Any) -> None:  # noqa: ANN401
    """Drawing "when idle" after `pyplot.savefig` takes as long as saving, and is for a window: it waits to be needed."""
    canvas_class = backend_agg.FigureCanvasAgg
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
            following: Any = _super(canvas_class, canvas)
            return following.draw_idle(*args, **kwargs)
        _forget_drawing(canvas)
        return None

    def missing(canvas: Any, name: str) -> Any:  # noqa: ANN401
        if name == "renderer" and canvas.__dict__.pop(_POSTPONED, False):
            import warnings

            with warnings.catch_warnings():
                warnings.simplefilter("ignore")  # saving has warned of the same
                canvas.draw()
            return canvas.renderer
        raise AttributeError(f"{type(canvas).__name__!r} object has no attribute {name!r}")

    canvas_class.draw_idle = postponing
    canvas_class.__getattr__ = missing


def remember_shown(figure: Any, picture: bytes) -> None:  # noqa: ANN401
    """Notes that a figure has been shown as it is now: at the end of the run it is shown again only if it has changed."""
    import weakref

    _forget_drawing(figure.canvas)
    figure.stale = False
    _shown[id(figure)] = weakref.ref(figure), hash(picture)


def show_open_figures(close: bool) -> None:
    """Shows the figures that pyplot has open, but for those that are as they were when they were shown."""
    helpers: Any = sys.modules["matplotlib._pylab_helpers"]
    try:
        for manager in helpers.Gcf.get_all_fig_managers():
            figure = manager.canvas.figure
            if _has_content(figure):
                _show_if_changed(figure)
    finally:  # also when it took too long: the next cell would fare no better
        if close:
            helpers.Gcf.destroy_all()
        _shown.clear()


def _show_all(pyplot: Any, is_blocking: bool) -> None:  # noqa: ANN401
    helpers: Any = sys.modules["matplotlib._pylab_helpers"]
    for manager in helpers.Gcf.get_all_fig_managers():
        figure = manager.canvas.figure
        # what goes on (plt.pause in a loop, say) is shown as it begins, and at the end of the run as it has become
        if is_blocking:
            _show_if_changed(figure)
        elif _shown_as(figure) is None:
            shown.show(figure, "figure")
    if is_blocking:
        pyplot.close("all")


def _show_if_changed(figure: Any) -> None:  # noqa: ANN401
    before = _shown_as(figure)
    if before is not None and not figure.stale and "renderer" not in figure.canvas.__dict__:
        return  # neither changed nor drawn since, and so made unstale
    # what is stale needs not look different: saving a figure makes it so
    shown.show(figure, "figure", unless=lambda part: hash(part.data.get("image/png")) == before)


def _forget_drawing(canvas: Any) -> None:  # noqa: ANN401
    """Makes a canvas draw again before it is asked for what it has drawn."""
    if canvas.__dict__.pop("renderer", None) is not None:
        canvas._lastKey = None
        canvas.__dict__[_POSTPONED] = True


def _shown_as(figure: Any) -> int | None:  # noqa: ANN401
    """The hash of the picture that was last shown of a figure; None if there was none."""
    reference, picture = _shown.get(id(figure), (None, None))
    return picture if reference is not None and reference() is figure else None


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
