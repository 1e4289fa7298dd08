"""Libraries that would open a browser or a picture viewer show what they have here."""

from __future__ import annotations

from . import shown
from .imports import replace
from .own import is_a, library

TYPE_CHECKING = False  # typing itself takes longer to import than a run takes
if TYPE_CHECKING:
    from typing import Any

#: Renderers of plotly that write files, or make pictures of their own.
_PLOTLY_FILES = frozenset(
    ("iframe", "iframe_connected", "png", "jpeg", "jpg", "svg", "pdf", "json", "sphinx_gallery")
)


def replace_pil_show(image_module: Any) -> None:  # noqa: ANN401
    """`Image.show` starts a viewer."""

    def show(image: Any, *args: Any, **kwargs: Any) -> Any:  # noqa: ANN401
        if not shown.is_on():
            return original(image, *args, **kwargs)
        return shown.display(image)

    original = replace(image_module.Image.show, show)


def replace_altair_show(api: Any) -> None:  # noqa: ANN401
    """`Chart.show` and `Chart.display` need IPython, or open a browser."""
    for name in ("show", "display"):
        _replace_method(getattr(api.TopLevelMixin, name))


def _replace_method(method: Any) -> None:  # noqa: ANN401
    def show(chart: Any, *args: Any, **kwargs: Any) -> Any:  # noqa: ANN401
        if not shown.is_on():
            return original(chart, *args, **kwargs)
        return shown.display(chart)

    original = replace(method, show)


def replace_bokeh_show(showing: Any) -> None:  # noqa: ANN401
    """`bokeh.io.show` writes a file and opens it in a browser. It still writes the file if the code has named one."""

    def show(value: Any, *args: Any, **kwargs: Any) -> Any:  # noqa: ANN401
        is_application = type(value).__name__ in ("Application", "function")
        if not shown.is_on() or is_application:
            return original(value, *args, **kwargs)
        if library("bokeh.io.state").curstate().file is not None:
            library("bokeh.io.saving").save(value)
        return shown.display(*(value if is_a(value, list, tuple) else (value,)))

    original = replace(showing.show, show)


def replace_plotly_show(renderers_module: Any) -> None:  # noqa: ANN401
    """`Figure.show` starts a web server for a browser and waits for that, or needs a notebook."""

    def show(figure: Any, renderer: Any = None, *args: Any, **kwargs: Any) -> Any:  # noqa: ANN401
        names = str(renderer or renderers_module.renderers.default or "").split("+")
        if not shown.is_on() or not _PLOTLY_FILES.isdisjoint(names):
            return original(figure, renderer, *args, **kwargs)
        if is_a(figure, dict):
            figure = library("plotly.graph_objects").Figure(figure)
        return shown.display(figure)

    original = replace(renderers_module.show, show)
