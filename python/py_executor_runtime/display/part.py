"""One display: representations of a value by their MIME types."""

from __future__ import annotations

from . import limits

TYPE_CHECKING = False  # typing itself takes longer to import than a run takes
if TYPE_CHECKING:
    from typing import Any


class Part:
    """One display.

    Attributes:
        data: by MIME type, text or bytes.
        originals: by MIME type, what `data` has in a smaller size.
        metadata: by MIME type.
        notes: what went wrong or was left out, in sentences.
        is_plain: there is nothing but the value's repr.
    """

    def __init__(self) -> None:
        self.data: dict[str, Any] = {}
        self.originals: dict[str, Any] = {}
        self.metadata: dict[str, Any] = {}
        self.notes: list[str] = []
        self.is_plain = False

    def note(self, text: str) -> None:
        """Adds a note, if there aren't many."""
        if len(self.notes) < limits.NOTES:
            self.notes.append(text[: limits.NOTE_CHARS])

    def describe(self, mime: str, **facts: object) -> None:
        """Adds facts to the metadata of a type."""
        self.metadata.setdefault(mime, {}).update(facts)

    def fields(self) -> dict[str, Any]:
        """The fields that are sent."""
        return {
            "data": self.data,
            "originals": self.originals,
            "metadata": self.metadata,
            "notes": self.notes,
        }

    def bound(self, available: int) -> int:
        """Drops what is too large, with a note; returns the size of what is left, in bytes."""
        self._bound_metadata()
        self._bound_types()
        total = 0
        for place in (self.data, self.originals):
            for mime, content in list(place.items()):
                size = len(content.encode() if isinstance(content, str) else content)
                is_picture = mime.startswith("image/")
                limit = limits.PICTURE_BYTES if is_picture else limits.TYPE_BYTES
                if size > min(limit, available - total):
                    del place[mime]
                    which = "in its original size " if place is self.originals else ""
                    self.note(
                        f"Left out: {mime} {which}of {size} bytes, which is more than is kept."
                    )
                else:
                    total += size
        return total

    def _bound_types(self) -> None:
        for place in (self.data, self.originals):
            # what comes last is likely to be the plain text
            surplus = list(place)[limits.TYPES - 1 : -1] if len(place) > limits.TYPES else []
            for mime in surplus:
                del place[mime]
            if surplus:
                self.note(f"Left out: {len(surplus)} representations, beyond {limits.TYPES}.")

    def _bound_metadata(self) -> None:
        """Leaves what JSON can say: the user's code may have put anything there."""
        import json

        bounded: dict[str, Any] = {}
        for mime, facts in list(self.metadata.items())[: limits.METADATA_TYPES]:
            try:
                text = json_text(facts)
                if len(text) <= limits.METADATA_CHARS:
                    bounded[str(mime)[:200]] = json.loads(text)
            except Exception:
                pass
        self.metadata = bounded


def json_text(value: object) -> str:
    """JSON; what JSON has no way to say becomes its str.

    Raises:
        ValueError: there is a NaN or an infinity, or it contains itself.
    """
    import json

    text = json.dumps(
        value, ensure_ascii=False, allow_nan=False, separators=(",", ":"), default=str
    )
    return text.encode("utf-8", "backslashreplace").decode()
