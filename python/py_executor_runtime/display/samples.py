"""Data of charts in plain Python, not more of it than a model reads."""

from __future__ import annotations

import math

from . import limits
from .own import is_a

TYPE_CHECKING = False  # typing itself takes longer to import than a run takes
if TYPE_CHECKING:
    from typing import Any

_MAX_TEXT = 200
_DIGITS = 7


def sampled(values: Any) -> list[Any]:  # noqa: ANN401
    """At most so many of a sequence's values as a chart lists: the first, the last, and others evenly between."""
    count = len(values)
    if count <= limits.CHART_POINTS:
        return list(values)
    step = (count - 1) / (limits.CHART_POINTS - 1)
    # by [] also where it is an array; a Series has labels there
    values = getattr(values, "values", values)
    return [values[round(number * step)] for number in range(limits.CHART_POINTS)]


def points_of(xs: Any, ys: Any, zs: Any = None) -> dict[str, Any]:  # noqa: ANN401
    """The points of a series: how many, and those that are listed."""
    points = {"count": len(ys), "x": plain(sampled(xs)), "y": plain(sampled(ys))}
    return points if zs is None else {**points, "z": plain(sampled(zs))}


def plain(value: Any) -> Any:  # noqa: ANN401
    """A value as JSON can have it: numbers with 7 digits, NaN and infinities as None, anything else as short text."""
    if hasattr(value, "tolist") and getattr(getattr(value, "dtype", None), "kind", "") not in "Mm":
        value = value.tolist()
    if value is None or isinstance(value, (bool, int)):
        return value
    if isinstance(value, float):
        return float(f"{value:.{_DIGITS}g}") if math.isfinite(value) else None
    if is_a(value, list, tuple):
        return [plain(item) for item in value]
    return str(value)[:_MAX_TEXT]
