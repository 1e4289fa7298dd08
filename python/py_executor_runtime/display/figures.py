"""matplotlib's figures: a picture as the library itself saves it, a smaller one if that is too large, and the chart's data."""

from __future__ import annotations

from . import limits, pyplot
from .chart_data import chart_of, summary_of
from .own import library
from .part import json_text

TYPE_CHECKING = False  # typing itself takes longer to import than a run takes
if TYPE_CHECKING:
    from typing import Any

    from .part import Part

CHART = "application/vnd.py-executor.chart+json"
#: Names of font families with Chinese, Japanese and Korean letters, as they are commonly installed.
_CJK_FAMILIES = (
    *("Noto Sans CJK SC", "Noto Sans CJK JP", "Noto Sans CJK KR", "Noto Sans SC", "Noto Sans JP"),
    *("Source Han Sans SC", "WenQuanYi Zen Hei", "WenQuanYi Micro Hei", "Droid Sans Fallback"),
    *("IPAexGothic", "IPAGothic", "TakaoGothic", "NanumGothic", "Hiragino Sans", "PingFang SC"),
    *("Apple SD Gothic Neo", "Arial Unicode MS", "Microsoft YaHei", "Yu Gothic", "Malgun Gothic"),
)
#: What sticks out of a figure by less than this, in inches, isn't missed.
_TOLERANCE = 0.02


def add_figure(part: Part, figure: Any) -> None:  # noqa: ANN401
    """Shows a figure, which is as it was afterwards."""
    if hasattr(figure, "figure") and figure.figure is not None:
        figure = figure.get_figure(root=True) if figure.figure is not figure else figure
    _add_picture(part, figure)
    pyplot.remember_shown(figure, part.data["image/png"])
    chart = chart_of(figure)
    if chart["axes"]:
        part.data[CHART] = json_text(chart)
    part.data["text/plain"] = summary_of(chart)[: limits.TEXT_CHARS]


def _add_picture(part: Part, figure: Any) -> None:  # noqa: ANN401
    dpi = _dpi_of(figure)
    width, height = (round(side * dpi) for side in figure.get_size_inches())
    factor = limits.PICTURE_SIDE / max(width, height, 1)
    if factor >= 1:
        picture = _drawn(part, figure, dpi)
        width, height = _size(picture)
        if max(width, height) <= limits.PICTURE_SIDE:
            part.data["image/png"] = picture
            part.describe("image/png", width=width, height=height, scaled=False)
            return
        # what stuck out has made it larger
        factor = limits.PICTURE_SIDE / max(width, height)
        part.originals["image/png"] = picture
    elif width * height <= limits.PICTURE_PIXELS:
        picture = _drawn(part, figure, dpi)
        width, height = _size(picture)
        factor = limits.PICTURE_SIDE / max(width, height)
        part.originals["image/png"] = picture
    else:
        part.note(
            f"Drawn smaller: {width}x{height} pixels are more than is kept. Save it to a file."
        )
    # a little less, since sides are rounded
    part.data["image/png"] = scaled = _drawn(part, figure, dpi * factor * 0.9995)
    scaled_width, scaled_height = _size(scaled)
    part.describe(
        "image/png",
        width=scaled_width,
        height=scaled_height,
        original_width=width,
        original_height=height,
        scaled=True,
    )


def _dpi_of(figure: Any) -> float:  # noqa: ANN401
    """Dots per inch with which the figure would be saved."""
    wanted: Any = library("matplotlib").rcParams["savefig.dpi"]
    # as Figure.savefig: what a high-resolution screen has multiplied doesn't count
    own = getattr(figure, "_original_dpi", figure.dpi)
    return float(own if wanted == "figure" else wanted)


def _drawn(part: Part, figure: Any, dpi: float) -> bytes:  # noqa: ANN401
    """The figure as a PNG. Warnings become notes; letters that a font lacks are looked for in others."""
    import warnings

    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        picture = _saved(figure, dpi)
        if any("missing from" in str(warning.message) for warning in caught):
            family = _cjk_family()
            if family is not None:
                caught.clear()
                picture = _saved_with(figure, dpi, family)
    for text in dict.fromkeys(str(warning.message) for warning in caught):
        if text not in part.notes:
            part.note(text)
    return picture


def _saved(figure: Any, dpi: float) -> bytes:  # noqa: ANN401
    import io

    file = io.BytesIO()
    figure.savefig(file, format="png", dpi=dpi)
    box = _overflow(figure)
    if box is not None:
        file = io.BytesIO()
        figure.savefig(file, format="png", dpi=dpi, bbox_inches=box)
    return file.getvalue()


def _overflow(figure: Any) -> Any:  # noqa: ANN401
    """Where a drawn figure has something that sticks out, a box in inches with all of it; else None.

    A legend beside the axes, say, which a notebook shows, and which a model would miss.
    """
    if library("matplotlib").rcParams["savefig.bbox"] is not None:
        return None  # the user has a wish
    try:
        box = figure.get_tightbbox(figure.canvas.get_renderer())
        if not _is_finite(box):
            return None
    except Exception:
        return None  # a canvas that draws in another way
    width, height = figure.get_size_inches()
    frame = figure.bbox_inches
    whole: Any = frame.union([box, frame])
    if max(whole.x1 - width, whole.y1 - height, -whole.x0, -whole.y0) < _TOLERANCE:
        return None
    # not more than the figure's own size again: an artist may be anywhere
    if whole.width > 2 * width or whole.height > 2 * height:
        return None
    return whole.padded(0.05)


def _is_finite(box: Any) -> bool:  # noqa: ANN401
    return all(abs(side) < 1000 for side in (box.x0, box.y0, box.x1, box.y1))


def _cjk_family() -> str | None:
    manager: Any = library("matplotlib.font_manager").fontManager
    installed = {entry.name for entry in manager.ttflist}
    return next((name for name in _CJK_FAMILIES if name in installed), None)


def _saved_with(figure: Any, dpi: float, family: str) -> bytes:  # noqa: ANN401
    """The figure with another family behind those that its texts have (matplotlib 3.6 and newer look there)."""
    texts: list[Any] = figure.findobj(library("matplotlib.text").Text)
    before = [text.get_fontfamily() for text in texts]
    try:
        for text, families in zip(texts, before):
            text.set_fontfamily([*families, family])
        return _saved(figure, dpi)
    finally:
        for text, families in zip(texts, before):
            text.set_fontfamily(families)


def _size(png: bytes) -> tuple[int, int]:
    return int.from_bytes(png[16:20], "big"), int.from_bytes(png[20:24], "big")
