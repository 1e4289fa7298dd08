"""numpy's arrays: what they are, beside the few numbers that their repr has."""

from __future__ import annotations

import sys

from ..bounded_repr import bounded_repr
from . import limits

TYPE_CHECKING = False  # typing itself takes longer to import than a run takes
if TYPE_CHECKING:
    from typing import Any

    from .part import Part

#: numpy's repr shows arrays up to this size in full, unless told otherwise.
_SHOWN_IN_FULL = 1000
#: Statistics take about a millisecond for a million numbers.
_MAX_SUMMARISED = 10_000_000


def add_array(part: Part, array: Any) -> None:  # noqa: ANN401
    """Shows a large array by shape, type, range and the corners that its repr has. A small one is its repr."""
    if array.size <= _SHOWN_IN_FULL:
        return
    shape = ", ".join(str(length) for length in array.shape)
    facts = [f"{type(array).__name__} ({shape}), {array.dtype}", *_statistics(array)]
    text, _ = bounded_repr(array, limits.TEXT_CHARS - 1000)
    part.data["text/plain"] = "; ".join(facts)[:900] + "\n" + text
    part.describe("text/plain", shape=list(array.shape), dtype=str(array.dtype)[:200])


def _statistics(array: Any) -> list[str]:  # noqa: ANN401
    if array.dtype.kind not in "biuf" or array.size > _MAX_SUMMARISED:
        return []
    numpy: Any = sys.modules["numpy"]
    if array.dtype.kind == "b":
        return [f"{int(array.sum())} true"]
    facts: list[str] = []
    with numpy.errstate(all="ignore"):
        if array.dtype.kind == "f":
            finite = numpy.isfinite(array)
            others = array.size - int(finite.sum())
            if others:
                facts.append(f"{others} not finite")
                array = array[finite]
        if array.size:
            facts += [
                f"min {array.min():.6g}",
                f"max {array.max():.6g}",
                f"mean {array.mean(dtype=float):.6g}",
            ]
    return facts
