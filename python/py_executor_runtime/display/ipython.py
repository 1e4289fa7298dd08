"""`IPython.display` without an IPython: its `display` and the like show here."""

from __future__ import annotations

import sys

from . import shown
from .imports import replace

TYPE_CHECKING = False  # typing itself takes longer to import than a run takes
if TYPE_CHECKING:
    from typing import Any, Callable


def replace_display(module: Any) -> None:  # noqa: ANN401
    """Replaces what needs a shell in `IPython.core.display_functions`, from where `IPython.display` has it."""

    def publish(
        data: Any,  # noqa: ANN401
        metadata: Any = None,  # noqa: ANN401
        *,
        transient: Any = None,  # noqa: ANN401
        update: bool = False,
        **_: object,
    ) -> None:
        name = transient.get("display_id") if transient else None
        shown.display(data, metadata=metadata, raw=True, display_id=name, update=update)

    def update(value: object, *, display_id: Any, **options: Any) -> None:  # noqa: ANN401
        options["update"] = True
        shown.display(value, display_id=display_id, **options)

    _replace(module.display, shown.display)
    _replace(module.publish_display_data, publish)
    _replace(module.update_display, update)
    _replace(module.clear_output, shown.clear_output)


def _replace(function: Any, ours: Callable[..., Any]) -> None:  # noqa: ANN401
    def choose(*args: Any, **kwargs: Any) -> Any:  # noqa: ANN401
        if not shown.is_on() or _has_shell():
            return original(*args, **kwargs)
        return ours(*args, **kwargs)

    original = replace(function, choose)


def _has_shell() -> bool:
    """Whether the code has started an IPython of its own."""
    shells: Any = sys.modules.get("IPython.core.interactiveshell")
    return shells is not None and shells.InteractiveShell.initialized()
