"""`display`, for editors and type checkers, and for code that also runs elsewhere."""

from __future__ import annotations

import builtins

TYPE_CHECKING = False  # typing itself takes longer to import than most code takes to run
if TYPE_CHECKING:
    from typing import Any


def display(*values: object, **options: Any) -> Any:  # noqa: ANN401
    """Shows values in the answer of the run: pictures, tables, charts, HTML …

    In a run this is the builtin `display`, and need not be imported. Elsewhere it prints the values.

    Args:
        values: anything; shown by `_repr_png_`, `_repr_html_` and the like, by what is known of the libraries of figures and
            tables, or as its repr.
        options: as those of `IPython.display.display`.

    Returns:
        With the option `display_id`: an object whose `update(value)` replaces what is shown; else None.
    """
    of_run = getattr(builtins, "display", None)
    if callable(of_run) and of_run is not display:
        return of_run(*values, **options)
    print(*values)
    return None
