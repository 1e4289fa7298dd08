"""Libraries that would open a browser or a picture viewer show what they have here."""

from __future__ import annotations

import os

from . import shown
from .imports import replace

TYPE_CHECKING = False  # typing itself takes longer to import than a run takes
if TYPE_CHECKING:
    from typing import Any

RENDERER = "py_executor"


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
        from bokeh.io.state import curstate  # pyright: ignore[reportMissingImports]

        is_application = callable(value) or type(value).__name__ == "Application"
        if not shown.is_on() or is_application:
            return original(value, *args, **kwargs)
        if curstate().file is not None:  # pyright: ignore[reportUnknownMemberType]
            from bokeh.io.saving import save  # pyright: ignore[reportMissingImports]

            save(value)
        values: list[Any] = list(value) if isinstance(value, (list, tuple)) else [value]  # pyright: ignore[reportUnknownArgumentType]
        return shown.display(*values)

    original = replace(showing.show, show)


def replace_plotly_renderer(renderers_module: Any) -> None:  # noqa: ANN401
    """`Figure.show` starts a web server for a browser and waits for that, unless PLOTLY_RENDERER says otherwise."""

    class Renderer(renderers_module.ExternalRenderer):  # type: ignore[misc]
        def render(self, fig: Any) -> None:  # noqa: ANN401
            from plotly.graph_objects import Figure  # pyright: ignore[reportMissingImports]

            shown.display(Figure(fig, skip_invalid=True))

    renderers = renderers_module.renderers
    renderers[RENDERER] = Renderer()
    if not os.environ.get("PLOTLY_RENDERER"):
        renderers.default = RENDERER
