"""Displays with a name, which can be replaced later."""

from __future__ import annotations

import os

from . import shown

#: Characters of a name.
MAX_NAME = 200


class DisplayHandle:
    """What `display` returns for a display with a name, as IPython's class of that name."""

    def __init__(self, display_id: str | None = None) -> None:
        self.display_id = os.urandom(8).hex() if display_id is None else display_id[:MAX_NAME]

    def __repr__(self) -> str:
        return f"<DisplayHandle display_id={self.display_id}>"

    def display(self, value: object, **options: object) -> None:
        """Shows a value under this name."""
        shown.display(value, display_id=self.display_id, **options)  # pyright: ignore[reportArgumentType]

    def update(self, value: object, **options: object) -> None:
        """Shows a value in the place of what was shown under this name."""
        shown.display(value, display_id=self.display_id, update=True, **options)  # pyright: ignore[reportArgumentType]


def handle(display_id: object) -> DisplayHandle:
    """The handle for a name; True stands for a new one."""
    return DisplayHandle(None if display_id is True else str(display_id))
