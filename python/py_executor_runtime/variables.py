"""What the names in a session stand for: types, sizes, and what they look like."""

from __future__ import annotations

import sys
from types import ModuleType

from .bounded_repr import bounded_repr

TYPE_CHECKING = False  # typing itself takes longer to import than a run takes
if TYPE_CHECKING:
    from typing import Any, Union

    Field = Union[str, int, None]

VALUE_CHARS = 80
TYPE_CHARS = 80
#: A longer name is none that anyone has typed.
NAME_CHARS = 200
#: Packages whose types say cheaply how large they are, and have a shape that tells more than their repr, which may take
#: long. What other types would answer is code of whoever wrote them: it isn't asked.
_ARRAY_PACKAGES = frozenset(
    {"cupy", "dask", "jax", "jaxlib", "numpy", "pandas", "polars"}
    | {"pyarrow", "scipy", "tensorflow", "torch"}
)


def of(module: ModuleType) -> list[tuple[str, Any]]:
    """Names and values that code has bound in the module, in the order of the names: not modules, nor `_private`."""
    return [
        (name, value)
        for name, value in list(
            vars(module).items()
        )  # at once: a thread may bind another meanwhile
        if _is_listed(name) and not issubclass(type(value), ModuleType)  # isinstance asks the value
    ]


def _is_listed(name: Any) -> bool:  # noqa: ANN401
    """`globals()` takes any key, and what is no name can't be asked for by name."""
    return (
        type(name) is str
        and not name.startswith("_")
        and len(name) <= NAME_CHARS
        and name.isidentifier()
    )


def describe(module: ModuleType, limit: int, listing: list[dict[str, Field]]) -> None:
    """Fills a listing of the module's names; one that raises or is interrupted leaves what it has found so far.

    No other code of the session's is run than a `__repr__` or `__sizeof__`, and what these raise is caught.

    Args:
        module: the session's.
        limit: the most names wanted; of more, the largest are listed.
        listing: gets an entry for each, in the order in which they were bound:
            `name`;
            `type` ("int", "pandas.DataFrame"; without a package if the session has defined it);
            `size` (bytes; of a container without its items; None if it can't be told cheaply);
            `shape` ("(1000, 3)"; None for what has none);
            `value` (the repr, at most VALUE_CHARS; None for what has a shape).
    """
    found = [(name, value, _size_of(value)) for name, value in of(module)]
    if len(found) > limit:
        by_size = sorted(range(len(found)), key=lambda at: -(found[at][2] or 0))
        found = [found[at] for at in sorted(by_size[:limit])]
    for name, value, size in found:
        shape = _shape_of(value)
        text = None if shape else _repr_of(value)
        entry: dict[str, Field] = {"name": name, "type": _type_of(value), "size": size}
        listing.append({**entry, "shape": shape, "value": text})


def _repr_of(value: object) -> str:
    try:
        return bounded_repr(value, VALUE_CHARS)[0]
    except BaseException:  # not even its type can be named
        return "<object whose repr raised>"


def _type_of(value: object) -> str:
    kind = type(value)
    try:
        package = kind.__module__.partition(".")[0]
        name = (
            kind.__name__ if package in ("builtins", "__main__") else f"{package}.{kind.__name__}"
        )
        return name[:TYPE_CHARS].encode("utf-8", "backslashreplace").decode()
    except BaseException:  # a metaclass can make anything of these
        return "object"


def _is_array(value: object) -> bool:
    """Whether one of its classes is from such a package: the session may have derived its own."""
    return any(kind.__module__.partition(".")[0] in _ARRAY_PACKAGES for kind in type(value).__mro__)


def _size_of(value: Any) -> int | None:  # noqa: ANN401
    try:
        size = _array_size(value) if _is_array(value) else sys.getsizeof(value)
        return size if type(size) is int and size >= 0 else None
    except BaseException:
        return None


def _array_size(value: Any) -> Any:  # noqa: ANN401
    """What the array itself says; `sys.getsizeof` of a DataFrame would look at each of its strings."""
    if isinstance(value, type) or callable(value):
        return sys.getsizeof(value)
    if hasattr(value, "memory_usage"):  # pandas
        usage = value.memory_usage()
        return int(usage.sum() if hasattr(usage, "sum") else usage)
    if hasattr(value, "estimated_size"):  # polars
        return value.estimated_size()
    if hasattr(value, "nbytes"):
        return int(value.nbytes)
    return None


def _shape_of(value: Any) -> str | None:  # noqa: ANN401
    try:
        if not _is_array(value) or isinstance(value, type):
            return None
        shape = tuple(value.shape)
        return str(shape)[:VALUE_CHARS] if shape else None  # a number of numpy's is shown as such
    except BaseException:
        return None
