"""Columns of text, side by side."""

from __future__ import annotations

from ..bounded_repr import bounded_repr

TYPE_CHECKING = False  # typing itself takes longer to import than a run takes
if TYPE_CHECKING:
    from collections.abc import Sequence


def grid(columns: Sequence[Sequence[object]], max_chars: int) -> str:
    """Aligns columns of equally many values.

    Args:
        columns: the first value of each is its name.
        max_chars: characters of a cell, of which what is longer is cut.
    """
    cells = [[_cell(value, max_chars) for value in column] for column in columns]
    widths = [max(map(len, column), default=0) for column in cells]
    rows = zip(*cells)
    return "\n".join(
        "  ".join(cell.rjust(width) for cell, width in zip(row, widths)).rstrip() for row in rows
    )


def _cell(value: object, max_chars: int) -> str:
    if isinstance(value, str):
        text, is_cut = value[:max_chars].replace("\n", "\\n"), len(value) > max_chars
    else:
        text, is_cut = bounded_repr(value, max_chars)
    return f"{text[: max_chars - 1]}…" if is_cut else text
