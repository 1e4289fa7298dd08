"""What a run shows: values become bundles of MIME types, and go where the run sends them.

Read it in this order: `shown` (a run begins, shows, ends), `protocol` (a value becomes a bundle), `imports` (how libraries
are told that there is no screen).

Only `shown`, `imports` and `own` are imported ahead. Everything else is loaded when a value needs it, or the library that
it is about is imported: a run that shows nothing pays for an entry in sys.meta_path.
"""

from __future__ import annotations

from . import own
from .shown import begin, display, finish, prepare, show_result

__all__ = ["begin", "display", "finish", "prepare", "show_result"]

own.keep()
