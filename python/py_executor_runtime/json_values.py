"""Values that cross the border as JSON: names that the code finds bound, and a list that it ends in.

Imported only for a run that asks for one of them, and before its working directory is on `sys.path`: importing json
costs as much as a fork, and a `json.py` of the user's is no concern of this one.
"""

from __future__ import annotations

import json

TYPE_CHECKING = False  # typing itself takes longer to import than a run takes
if TYPE_CHECKING:
    from typing import Any

    from . import wire

#: Of a reason why a value is no JSON, in characters: the text may come from the user's code.
MAX_REASON = 500
_encode = json.JSONEncoder(ensure_ascii=False, allow_nan=False, separators=(",", ":")).encode
_encode_ascii = json.JSONEncoder(allow_nan=False, separators=(",", ":")).encode


def decode_bindings(text: bytes) -> dict[str, Any]:
    """The names that are bound, and their values. The server writes them: a JSON object."""
    return json.loads(text)


def describe_list(value: Any, max_bytes: int) -> dict[str, wire.Value]:  # noqa: ANN401
    """Fields of a report: `json`, or why there is none in `json_problem`.

    Args:
        value: what the code's last expression has given; only a list is wanted.
        max_bytes: the longest JSON, in bytes of UTF-8.
    """
    if not isinstance(value, list):
        kind = "no value" if value is None else f"a value of type {type(value).__name__}"
        return {"json_problem": f"it ended in {kind}, not in a list"[:MAX_REASON]}
    items: list[Any] = value  # pyright: ignore[reportUnknownVariableType]
    parts: list[bytes] = []
    size = 2
    try:
        for item in items:
            parts.append(_utf8(item))
            size += len(parts[-1]) + 1
            if size > max_bytes:
                return {"json_problem": f"its list is longer than {max_bytes} bytes of JSON"}
    except BaseException as error:  # also what only looks like an exit: the script is over
        return {"json_problem": f"its list is no JSON: {_words(error)}"[:MAX_REASON]}
    return {"json": b"[" + b",".join(parts) + b"]"}


def _utf8(item: object) -> bytes:
    try:
        return _encode(item).encode()
    except UnicodeEncodeError:  # a lone surrogate, which only an escape can carry
        return _encode_ascii(item).encode()


def _words(error: BaseException) -> str:
    try:
        return f"{type(error).__name__}: {error}"
    except BaseException:
        return type(error).__name__
