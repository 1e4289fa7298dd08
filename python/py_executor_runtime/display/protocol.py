"""A value becomes bundles of MIME types, by the conventions that notebooks have brought up.

See https://ipython.readthedocs.io/en/stable/config/integrating.html. What the user's code raises on the way becomes a note.
"""

from __future__ import annotations

from ..bounded_repr import bounded_repr
from . import limits, shown
from .formatters import find_formatter
from .own import is_a, load
from .part import Part, json_text

TYPE_CHECKING = False  # typing itself takes longer to import than a run takes
if TYPE_CHECKING:
    from typing import Any

_METHODS = {
    "_repr_html_": "text/html",
    "_repr_markdown_": "text/markdown",
    "_repr_svg_": "image/svg+xml",
    "_repr_png_": "image/png",
    "_repr_jpeg_": "image/jpeg",
    "_repr_latex_": "text/latex",
    "_repr_json_": "application/json",
}
_OWN_WAYS = ("_ipython_display_", "_repr_mimebundle_")
#: An object that has this has any attribute there is; what it answers means nothing.
_CANARY = "_ipython_canary_method_should_not_exist_"
_PICTURES = ("image/png", "image/jpeg", "image/gif", "image/webp")
_BINARY = ("image/", "audio/", "video/", "application/pdf")


def is_rich(value: object) -> bool:
    """Whether a value has more to show than its repr."""
    kind = type(value)
    if find_formatter(kind) is not None:
        return True
    return not isinstance(value, type) and any(
        hasattr(kind, name) for name in (*_OWN_WAYS, *_METHODS)
    )


def bundle_of(
    value: Any,  # noqa: ANN401
    *,
    include: Any = None,  # noqa: ANN401
    exclude: Any = None,  # noqa: ANN401
    metadata: dict[str, Any] | None = None,
    raw: bool = False,
) -> list[Part]:
    """The displays of a value: one, but for values that display themselves, which may do so any number of times.

    Args:
        value: anything.
        include: MIME types that are wanted; all, if None. `text/plain` is always there.
        exclude: MIME types that aren't.
        metadata: by MIME type; comes before the value's own.
        raw: the value is a dict of MIME types and data.
    """
    part = Part()
    if raw:
        _add_all(part, value, "the data")
    elif not _add_by_formatter(part, value):
        parts = _displayed_by_itself(part, value)
        if parts is not None:
            return parts
        _add_by_methods(part, value, include, exclude)
    _fit_pictures(part)
    if len(part.data.get("image/png", b"")) > limits.LIGHT_BYTES:
        load("pictures").lighten(part)
    _filter(part, include, exclude)
    if not raw and "text/plain" not in part.data:
        part.is_plain = not part.data and not part.notes
        part.data["text/plain"], is_cut = bounded_repr(value, limits.TEXT_CHARS)
        if is_cut:
            part.describe("text/plain", cut=True)
    for mime, facts in dict(metadata or {}).items():
        part.metadata[mime] = facts
    return [part]


def _add_by_formatter(part: Part, value: object) -> bool:
    formatter = find_formatter(type(value))
    if formatter is None:
        return False
    try:
        getattr(load(formatter[0]), formatter[1])(part, value)
    except Exception as error:
        part.note(f"{type(value).__name__} could not be shown in full: {shown.describe(error)}")
    return True


def _displayed_by_itself(part: Part, value: object) -> list[Part] | None:
    method = _method(value, "_ipython_display_")
    if method is None:
        return None
    try:
        parts = shown.collect(method)
    except NotImplementedError:
        return None
    except Exception as error:
        part.note(_complaint(value, "_ipython_display_", error))
        return None
    for one in parts:
        one.is_plain = False  # it is not the value's repr
    return parts


def _add_by_methods(part: Part, value: object, include: object, exclude: object) -> None:
    method = _method(value, "_repr_mimebundle_")
    if method is not None:
        try:
            _add_all(part, method(include=include, exclude=exclude), "_repr_mimebundle_")
        except Exception as error:
            part.note(_complaint(value, "_repr_mimebundle_", error))
    for name, mime in _METHODS.items():
        method = None if mime in part.data else _method(value, name)
        if method is None:
            continue
        try:
            _add(part, mime, method())
        except NotImplementedError:
            pass
        except Exception as error:
            part.note(_complaint(value, name, error))


def _method(value: Any, name: str) -> Any:  # noqa: ANN401
    """A method of that name; None if there is none, or it can't be got."""
    try:
        if isinstance(value, type) or getattr(value, _CANARY, None) is not None:
            return None
        method = getattr(value, name, None)
        return method if callable(method) else None
    except Exception:
        return None


def _add_all(part: Part, bundle: Any, origin: str) -> None:  # noqa: ANN401
    if is_a(bundle, tuple):
        bundle, metadata = bundle
        part.metadata = dict(metadata or {})
    entries: Any = dict(bundle or {})
    for mime, content in entries.items():
        try:
            _add(part, str(mime)[:200], content)
        except Exception as error:
            part.note(f"{str(mime)[:100]} of {origin} is unusable: {shown.describe(error)}")


def _add(part: Part, mime: str, content: Any) -> None:  # noqa: ANN401
    if is_a(content, tuple) and len(content) == 2:
        content, facts = content
        if facts:
            part.metadata[mime] = dict(facts)
    if content is None:
        return
    if mime.startswith(_BINARY) and not mime.endswith("+xml"):
        if is_a(content, str):  # base64, by convention
            from binascii import a2b_base64

            content = a2b_base64(content)
        part.data[mime] = bytes(content)
    elif is_a(content, bytes):
        part.data[mime] = content.decode("utf-8", "backslashreplace")
    elif is_a(content, str):
        part.data[mime] = content.encode("utf-8", "backslashreplace").decode()
    else:
        part.data[mime] = json_text(content)
    if mime == "text/plain" and len(part.data[mime]) > limits.TEXT_CHARS:
        part.data[mime] = part.data[mime][: limits.TEXT_CHARS]
        part.describe(mime, cut=True)


def _fit_pictures(part: Part) -> None:
    for mime in [mime for mime in part.data if mime in _PICTURES]:
        if "scaled" not in part.metadata.get(mime, {}):
            load("pictures").fit(part, mime)


def _filter(part: Part, include: Any, exclude: Any) -> None:  # noqa: ANN401
    for place in (part.data, part.originals):
        for mime in list(place):
            is_wanted = include is None or mime in include
            if mime != "text/plain" and (not is_wanted or mime in (exclude or ())):
                del place[mime]


def _complaint(value: object, method: str, error: BaseException) -> str:
    return f"{type(value).__name__}.{method} raised {shown.describe(error)}"
