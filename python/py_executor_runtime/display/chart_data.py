"""What a matplotlib figure says, as data: for those who can't see it."""

from __future__ import annotations

from . import limits
from .samples import plain, points_of, sampled

TYPE_CHECKING = False  # typing itself takes longer to import than a run takes
if TYPE_CHECKING:
    from typing import Any

    Fields = dict[str, Any]

#: Cells of an image or a mesh whose values are listed.
_MAX_CELLS = 400


def chart_of(figure: Any) -> Fields:  # noqa: ANN401
    """Title, axes and their series. What can't be read off is left out."""
    width, height = (round(side * figure.dpi) for side in figure.get_size_inches())
    fields: Fields = {"library": "matplotlib", "width": width, "height": height}
    title = getattr(figure, "_suptitle", None)
    if title is not None:
        fields["title"] = plain(title.get_text())
    charts = [axes for axes in figure.axes if not hasattr(axes, "_colorbar")]
    fields["axes"] = [_axes(axes) for axes in charts[: limits.CHART_AXES]]
    return fields


def summary_of(chart: Fields) -> str:
    """A chart's data in a few words, a line for the figure and for each of its axes."""
    lines = [f"Figure {chart['width']}x{chart['height']}" + _quoted(chart.get("title"))]
    for axes in chart["axes"]:
        labels = [
            f"{name}: {axes[key]}"
            for name, key in (("x", "x_label"), ("y", "y_label"))
            if axes.get(key)
        ]
        series = [
            f"{one['type']}{_quoted(one.get('label'))}{_count(one)}" for one in axes["series"]
        ]
        words = "; ".join([*series, *labels]) or "empty"
        lines.append(f"axes{_quoted(axes.get('title'))}: {words}")
    return "\n".join(lines)


def _quoted(text: str | None) -> str:
    return f' "{text}"' if text else ""


def _count(series: Fields) -> str:
    count = series.get("count")
    return "" if count is None else f" ({count})"


def _axes(axes: Any) -> Fields:  # noqa: ANN401
    fields: Fields = {}
    try:
        for key, read in _TEXTS:
            text = plain(getattr(axes, read)()) if hasattr(axes, read) else None
            if text and not (key.endswith("scale") and text == "linear"):
                fields[key] = text
        if getattr(axes, "name", "rectilinear") != "rectilinear":
            fields["projection"] = plain(axes.name)
    except Exception:
        pass  # an axes class of its own kind
    series: list[Fields] = []
    fields["series"] = series
    for read in (_bars, _lines, _collections, _images, _wedges):
        try:
            series.extend(read(axes)[: limits.CHART_SERIES - len(series)])
        except Exception:
            pass
    return fields


_TEXTS = (
    ("title", "get_title"),
    ("x_label", "get_xlabel"),
    ("y_label", "get_ylabel"),
    ("z_label", "get_zlabel"),
    ("x_scale", "get_xscale"),
    ("y_scale", "get_yscale"),
)


def _label(artist: Any) -> Fields:  # noqa: ANN401
    label = plain(artist.get_label())
    # with an underscore in front it is matplotlib's own
    return (
        {"label": label} if isinstance(label, str) and label and not label.startswith("_") else {}
    )


def _lines(axes: Any) -> list[Fields]:  # noqa: ANN401
    series: list[Fields] = []
    for line in axes.lines:
        data = line.get_data_3d() if hasattr(line, "get_data_3d") else line.get_data(orig=True)
        if getattr(line, "get_transform", None) and not line.get_transform().contains_branch(
            axes.transData
        ):
            continue  # axhline and the like: positions on the axes, no data
        has_line = line.get_linestyle() not in ("None", "none", "", " ")
        series.append(
            {"type": "line" if has_line else "scatter", **_label(line), **points_of(*data)}
        )
    return series


def _bars(axes: Any) -> list[Fields]:  # noqa: ANN401
    series: list[Fields] = []
    for container in axes.containers:
        patches = getattr(container, "patches", None)
        if not patches:
            continue
        is_horizontal = getattr(container, "orientation", "vertical") == "horizontal"
        axis = axes.yaxis if is_horizontal else axes.xaxis
        boxes = [
            (patch.get_x(), patch.get_y(), patch.get_width(), patch.get_height())
            for patch in patches
        ]
        chosen = sampled(boxes)
        if is_horizontal:
            places, values = (
                [y + height / 2 for _, y, _, height in chosen],
                [box[2] for box in chosen],
            )
            widths = [box[3] for box in chosen]
        else:
            places, values = (
                [x + width / 2 for x, _, width, _ in chosen],
                [box[3] for box in chosen],
            )
            widths = [box[2] for box in chosen]
        names = _names(axis, places)
        fields: Fields = {"type": "bar", **_label(container), "count": len(patches)}
        fields.update(categories=names) if names else fields.update(
            positions=plain(places), widths=plain(widths)
        )
        series.append({**fields, "values": plain(values)})
    return series


def _names(axis: Any, places: list[float]) -> list[str] | None:  # noqa: ANN401
    """The categories at these places: of a categorical axis, or of ticks that the code has named."""
    mapping = getattr(getattr(axis, "units", None), "_mapping", None)
    if mapping:
        by_place = {position: plain(name) for name, position in mapping.items()}
    else:
        formatter = axis.get_major_formatter()
        if type(formatter).__name__ != "FixedFormatter":
            return None
        by_place = dict(zip(axis.get_majorticklocs(), map(plain, formatter.seq)))
    names: list[str] = []
    for place in places:
        nearest = min(by_place, key=lambda position: abs(position - place), default=None)
        if nearest is None or abs(nearest - place) > 0.5:
            return None
        names.append(by_place[nearest])
    return names


def _collections(axes: Any) -> list[Fields]:  # noqa: ANN401
    series: list[Fields] = []
    for collection in axes.collections:
        kind = type(collection).__name__
        if kind in ("PathCollection", "Path3DCollection"):
            flat = collection.get_offsets()
            data = getattr(collection, "_offsets3d", None) or (flat[:, 0], flat[:, 1])
            series.append({"type": "scatter", **_label(collection), **points_of(*data)})
        elif kind == "QuadMesh":
            series.append(
                {"type": "heatmap", **_label(collection), **_cells(collection.get_array())}
            )
        elif kind in ("PolyCollection", "FillBetweenPolyCollection"):
            series.append({"type": "area", **_label(collection)})
        elif kind in ("QuadContourSet", "TriContourSet"):
            series.append({"type": "contour", "levels": plain(sampled(collection.levels))})
    return series


def _images(axes: Any) -> list[Fields]:  # noqa: ANN401
    return [
        {"type": "image", **_label(image), **_cells(image.get_array())} for image in axes.images
    ]


def _cells(array: Any) -> Fields:  # noqa: ANN401
    fields: Fields = {"shape": plain(array.shape)}
    if array.size:
        fields.update(min=plain(array.min()), max=plain(array.max()))
    if 0 < array.size <= _MAX_CELLS:
        fields["values"] = plain(array.tolist())
    return fields


def _wedges(axes: Any) -> list[Fields]:  # noqa: ANN401
    wedges = [patch for patch in axes.patches if type(patch).__name__ == "Wedge"]
    if not wedges:
        return []
    chosen = sampled(wedges)
    shares = [abs(wedge.theta2 - wedge.theta1) / 360 for wedge in chosen]
    names = [plain(wedge.get_label()) for wedge in chosen]
    return [{"type": "pie", "count": len(wedges), "categories": names, "shares": plain(shares)}]
