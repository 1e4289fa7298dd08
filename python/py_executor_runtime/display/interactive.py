"""Charts for browsers, of plotly, altair and bokeh: their own JSON, a page that works offline where there is one, and data."""

from __future__ import annotations

import sys

from . import limits, shown
from .own import is_a, library
from .part import json_text
from .samples import plain, sampled

TYPE_CHECKING = False  # typing itself takes longer to import than a run takes
if TYPE_CHECKING:
    from typing import Any

    from .part import Part

CHART = "application/vnd.py-executor.chart+json"


def add_plotly(part: Part, figure: Any) -> None:  # noqa: ANN401
    """A figure of plotly: its JSON, and a page with the library in it."""
    part.data["application/vnd.plotly.v1+json"] = figure.to_json(validate=False)
    chart = _plotly_chart(figure)
    part.data[CHART] = json_text(chart)
    series = [
        f"{one['type']}{_quoted(one.get('name'))} ({one['count']})" for one in chart["series"]
    ]
    words = "; ".join(
        [*series, *(f"{key[0]}: {chart[key]}" for key in ("x_label", "y_label") if chart[key])]
    )
    part.data["text/plain"] = f"plotly figure{_quoted(chart['title'])}: {words or 'empty'}"
    _add_page(part, lambda: figure.to_html(include_plotlyjs=True, full_html=True, validate=False))


def _plotly_chart(figure: Any) -> dict[str, Any]:  # noqa: ANN401
    layout = figure.layout
    chart: dict[str, Any] = {
        "library": "plotly",
        "title": plain(layout.title.text),
        "x_label": plain(layout.xaxis.title.text),
        "y_label": plain(layout.yaxis.title.text),
        "series": [],
    }
    for trace in figure.data[: limits.CHART_SERIES]:
        one: dict[str, Any] = {"type": trace.type, "name": plain(trace.name), "count": 0}
        for key in ("x", "y", "labels", "values"):
            data: Any = trace[key] if key in trace else None  # noqa: SIM401 - traces have no get
            if data is not None and not is_a(data, dict):  # a dict: encoded, for JavaScript
                one["count"] = max(one["count"], len(data))
                one[key] = plain(sampled(data))
        chart["series"].append(one)
    return chart


def add_altair(part: Part, chart: Any) -> None:  # noqa: ANN401
    """A chart of altair: Vega-Lite, with its data, and a picture where vl-convert is installed. Its page isn't offline."""
    altair: Any = sys.modules["altair"]
    # bounded by its size in bytes below, and not by its rows
    with altair.data_transformers.enable("default", max_rows=None):
        specification: dict[str, Any] = chart.to_dict()
    version = str(getattr(altair, "SCHEMA_VERSION", "v5")).lstrip("v").partition(".")[0]
    text = json_text(specification)
    part.data[f"application/vnd.vegalite.v{version}+json"] = text
    part.data["text/plain"] = f"altair {type(chart).__name__}: {_vega_words(specification)}"
    try:
        converter = library("vl_convert")
    except ImportError:
        part.note("No picture of it: that needs the package vl-convert-python.")
        return
    part.data["image/png"] = converter.vegalite_to_png(text)


def _vega_words(specification: dict[str, Any]) -> str:
    mark: Any = specification.get("mark")
    kind = getattr(mark, "get", {"type": mark}.get)("type")
    encoding: dict[str, Any] = specification.get("encoding", {})
    words = [
        f"{channel}: {one.get('field') or one.get('aggregate') or one.get('value')}"
        for channel, one in encoding.items()
        if is_a(one, dict)
    ]
    rows = sum(len(data) for data in specification.get("datasets", {}).values())
    layers = [
        key
        for key in ("layer", "hconcat", "vconcat", "concat", "facet", "repeat")
        if key in specification
    ]
    return "; ".join([str(kind or "+".join(layers) or "chart"), *words, f"{rows} rows"])[
        : limits.NOTE_CHARS
    ]


def add_bokeh(part: Part, model: Any) -> None:  # noqa: ANN401
    """A figure or layout of bokeh: a page with the library in it."""
    chart: dict[str, Any] = {
        "library": "bokeh",
        "figures": [_bokeh_figure(one) for one in _bokeh_figures(model)],
    }
    part.data[CHART] = json_text(chart)
    lines = [
        f"figure{_quoted(one['title'])}: "
        + ("; ".join(f"{s['type']} ({s['count']})" for s in one["series"]) or "empty")
        for one in chart["figures"]
    ]
    part.data["text/plain"] = "\n".join([f"bokeh {type(model).__name__}", *lines])[
        : limits.TEXT_CHARS
    ]

    def page() -> str:
        import warnings

        inline = library("bokeh.resources").INLINE
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            return library("bokeh.embed").file_html(model, inline, "bokeh")

    _add_page(part, page)


def _bokeh_figures(model: Any) -> list[Any]:  # noqa: ANN401
    models: list[Any] = list(model.references())
    return [one for one in models if hasattr(one, "renderers") and hasattr(one, "title")][
        : limits.CHART_AXES
    ]


def _bokeh_figure(figure: Any) -> dict[str, Any]:  # noqa: ANN401
    series: list[dict[str, Any]] = []
    for renderer in figure.renderers[: limits.CHART_SERIES]:
        data: dict[str, Any] = dict(getattr(getattr(renderer, "data_source", None), "data", {}))
        columns = {
            str(name)[:100]: plain(sampled(values)) for name, values in list(data.items())[:8]
        }
        count = max((len(values) for values in data.values()), default=0)
        kind = type(getattr(renderer, "glyph", renderer)).__name__
        series.append({"type": kind, "count": count, "columns": columns})
    return {
        "title": plain(getattr(figure.title, "text", figure.title)),
        "axes": [plain(axis.axis_label) for axis in getattr(figure, "axis", [])],
        "series": series,
    }


def _add_page(part: Part, make: Any) -> None:  # noqa: ANN401
    try:
        part.data["text/html"] = make()
    except Exception as error:
        part.note(f"No page of it: {shown.describe(error)}")


def _quoted(text: str | None) -> str:
    return f' "{text}"' if text else ""
