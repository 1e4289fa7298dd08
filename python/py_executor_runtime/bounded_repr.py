"""`repr` that stops in time: the repr of a list with ten million items takes seconds and gigabytes."""

from __future__ import annotations

TYPE_CHECKING = False  # typing itself takes longer to import than a run takes
if TYPE_CHECKING:
    from collections.abc import Iterator
    from typing import Any

_BRACKETS: dict[type, tuple[str, str]] = {
    list: ("[", "]"),
    tuple: ("(", ")"),
    set: ("{", "}"),
    dict: ("{", "}"),
}


def bounded_repr(value: object, limit: int) -> tuple[str, bool]:
    """The repr of a value.

    Args:
        value: anything; a repr that raises is replaced by a short note, as `traceback` does.
        limit: the longest text wanted, in characters.

    Returns:
        At most `limit` characters, exactly `repr(value)` if that fits, and whether something was cut.
    """
    parts: list[str] = []
    size = 0
    for part in _pieces(value, limit, ()):
        parts.append(part)
        size += len(part)
        if size > limit:
            break
    text = "".join(parts)
    text = text.encode("utf-8", "backslashreplace").decode()  # a repr may hold lone surrogates
    return text[:limit], len(text) > limit


def _pieces(value: Any, limit: int, outer: tuple[int, ...]) -> Iterator[str]:  # noqa: ANN401
    kind: type[Any] = type(value)
    if kind in (str, bytes, bytearray) and len(value) > limit:
        yield repr(value[: limit + 1])
    elif kind in _BRACKETS and len(value) > 0:
        yield from _container_pieces(value, kind, limit, outer)
    else:
        yield _repr(value)


def _container_pieces(
    value: Any,  # noqa: ANN401
    kind: type[Any],
    limit: int,
    outer: tuple[int, ...],
) -> Iterator[str]:
    opening, closing = _BRACKETS[kind]
    if id(value) in outer:
        yield f"{opening}...{closing}"
        return
    if len(outer) > 100:  # deeper than anyone reads, and deep enough for repr itself to give up
        yield _repr(value)
        return
    outer = (*outer, id(value))
    yield opening
    is_first = True
    for item in value:
        if not is_first:
            yield ", "
        is_first = False
        yield from _pieces(item, limit, outer)
        if kind is dict:
            yield ": "
            yield from _pieces(value[item], limit, outer)
    if kind is tuple and len(value) == 1:
        yield ","
    yield closing


def _repr(value: object) -> str:
    try:
        return repr(value)
    except BaseException as error:  # also what only looks like an exit: the script is over
        return f"<{type(value).__name__} object whose repr raised {type(error).__name__}>"
