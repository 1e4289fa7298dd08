"""`repr` that stops in time: the repr of a list with ten million items takes seconds and gigabytes."""

from __future__ import annotations

from itertools import islice

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

#: Types from here show all of their items, and may have millions; others, as those of numpy and pandas, see to it
#: themselves.
_PACKAGES_OF_CONTAINERS = ("builtins", "collections", "array")


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
    try:
        for part in _pieces(value, limit, ()):
            parts.append(part)
            size += len(part)
            if size > limit:
                break
    except BaseException as error:
        parts = [_excuse(value, error)]  # it changed while it was looked at
    text = "".join(parts)
    text = text.encode("utf-8", "backslashreplace").decode()  # a repr may hold lone surrogates
    return text[:limit], len(text) > limit


def _pieces(value: Any, limit: int, outer: tuple[int, ...]) -> Iterator[str]:  # noqa: ANN401
    kind: Any = type(value)  # pyright: ignore[reportUnknownVariableType]
    if kind in (str, bytes, bytearray) and len(value) > limit:
        yield repr(value[: limit + 1])
    elif kind in _BRACKETS and len(value) > 0:
        yield from _container_pieces(value, kind, limit, outer)
    elif kind.__module__ in _PACKAGES_OF_CONTAINERS and _is_longer(value, limit):
        # with an item for each character it will be cut anyway: its beginning is all that is needed
        yield f"{kind.__name__}(["
        yield from _item_pieces(value, limit, outer)
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
    if kind is dict:
        yield from _entry_pieces(value, limit, outer)
    else:
        yield from _item_pieces(value, limit, outer)
    if kind is tuple and len(value) == 1:
        yield ","
    yield closing


def _item_pieces(items: Any, limit: int, outer: tuple[int, ...]) -> Iterator[str]:  # noqa: ANN401
    separator = ""
    first: list[Any] = list(islice(items, limit))  # at once: showing one may change the container
    for item in first:
        yield separator
        separator = ", "
        yield from _pieces(item, limit, outer)


def _entry_pieces(entries: dict[Any, Any], limit: int, outer: tuple[int, ...]) -> Iterator[str]:
    separator = ""
    for key, item in list(islice(entries.items(), limit)):
        yield separator
        separator = ", "
        yield from _pieces(key, limit, outer)
        yield ": "
        yield from _pieces(item, limit, outer)


def _is_longer(value: Any, limit: int) -> bool:  # noqa: ANN401
    length = getattr(value, "__len__", None)
    return length is not None and hasattr(value, "__iter__") and length() > limit


def _repr(value: object) -> str:
    try:
        return repr(value)
    except BaseException as error:  # also what only looks like an exit: the script is over
        return _excuse(value, error)


def _excuse(value: object, error: BaseException) -> str:
    return f"<{type(value).__name__} object whose repr raised {type(error).__name__}>"
