"""Helpers that split a big job into pieces for a batch.

``src/schedule/chunking.ts`` is the same for callers in TypeScript; ``test/vectors/chunking.json``
holds both to one behaviour.
"""

from __future__ import annotations

import operator

# Type checkers take this name as true. At run time `typing` is left out: importing it would take
# longer than most snippets do.
TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable
    from typing import TypeVar

    _T = TypeVar("_T")

__all__ = ["chunk_by_count", "chunk_by_size", "suggest_batch_size"]

# A lone surrogate has no UTF-8; this writes it as the 3 bytes that it would take, and reads it back.
_SURROGATES = "surrogatepass"

_WORKERS = {"low": 4, "medium": 3, "high": 2}


def _whole(name: str, value: int) -> int:
    """The value as a plain int (a numpy integer becomes one); TypeError for floats and the like."""
    try:
        return operator.index(value)
    except TypeError:
        # The type, not the value: swapped arguments would put a whole list into the message.
        message = f"{name} must be a whole number, got {type(value).__name__}"
        raise TypeError(message) from None


def chunk_by_count(items: Iterable[_T], n: int) -> list[list[_T]]:
    """Split items into n runs of consecutive ones, lengths differing by at most 1, longer ones first.

    Args:
        items: A list or any other iterable; it is copied, never changed.
        n: How many chunks. Zero or less gives one chunk with everything (so no items give
            ``[[]]``); more than there are items gives one chunk an item (so no items give ``[]``).

    Raises:
        TypeError: n is not an integer.

    >>> chunk_by_count(["a.csv", "b.csv", "c.csv"], 2)
    [['a.csv', 'b.csv'], ['c.csv']]
    """
    n = _whole("n", n)
    values = list(items)
    if n <= 0:
        return [values]
    if not values:
        return []

    count = min(n, len(values))
    size, longer = divmod(len(values), count)
    chunks: list[list[_T]] = []
    start = 0
    for index in range(count):
        end = start + size + (1 if index < longer else 0)
        chunks.append(values[start:end])
        start = end
    return chunks


def chunk_by_size(code: str, max_bytes: int = 500_000) -> list[str]:
    r"""Split text at its line ends into the fewest chunks of at most max_bytes bytes of UTF-8.

    ``"\n".join(chunks)`` gives back exactly ``code``: a chunk does not hold the ``"\n"`` that
    divides it from the next, and blank lines survive wherever they stand. Only ``"\n"`` ends a
    line; the ``"\r"`` of a CRLF stays with its line. Empty text gives ``[""]``. The cuts don't
    follow Python's syntax: a block may be cut in its middle.

    Args:
        code: The text. A lone surrogate counts as 3 bytes, and is kept.
        max_bytes: The most bytes of UTF-8 in a chunk, 1 or more.

    Raises:
        ValueError: a single line is longer than max_bytes (the message names the line, its size
            and the limit), or max_bytes is less than 1.
        TypeError: max_bytes is not an integer.

    >>> chunk_by_size("one()\ntwo()\nthree()", 11)
    ['one()\ntwo()', 'three()']
    """
    max_bytes = _whole("max_bytes", max_bytes)
    if max_bytes < 1:
        raise ValueError(f"max_bytes must be at least 1, got {max_bytes}")

    # In bytes, so that the last line end within reach is one call of rfind: no loop over lines.
    data = code.encode("utf-8", _SURROGATES)
    chunks: list[str] = []
    start = 0
    while len(data) - start > max_bytes:
        end = data.rfind(b"\n", start, start + max_bytes + 1)
        if end == -1:
            raise ValueError(_too_long(data, start, max_bytes))
        chunks.append(data[start:end].decode("utf-8", _SURROGATES))
        start = end + 1
    chunks.append(data[start:].decode("utf-8", _SURROGATES))
    return chunks


def _too_long(data: bytes, start: int, max_bytes: int) -> str:
    """The message for the line of data that begins at start."""
    number = data.count(b"\n", 0, start) + 1
    end = data.find(b"\n", start)
    size = (len(data) if end == -1 else end) - start
    return (
        f"line {number} is {size} bytes of UTF-8, over the limit max_bytes={max_bytes}: "
        f"break that line up, or raise max_bytes to at least {size}"
    )


def suggest_batch_size(total_items: int, complexity: str = "medium") -> int:
    """Suggest how many pieces of a job to run at once.

    Args:
        total_items: How many items there are to work on.
        complexity: What one item costs: ``"low"`` (file sizes) gives 4, ``"medium"`` (parsing) 3,
            ``"high"`` (inference) 2; any other word counts as medium.

    Returns:
        The suggestion: never more than total_items, and 0 when there are none or fewer.

    Raises:
        TypeError: total_items is not an integer.

    >>> suggest_batch_size(100, "low")
    4
    >>> suggest_batch_size(1)
    1
    """
    total_items = _whole("total_items", total_items)
    return max(0, min(_WORKERS.get(complexity, _WORKERS["medium"]), total_items))
