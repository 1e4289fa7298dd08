"""Where runs take place, as the process sees it that supervises them; this one has no walls."""

from __future__ import annotations

from .. import wire
from ..interpreter import describe

TYPE_CHECKING = False  # typing itself takes longer to import than a run takes
if TYPE_CHECKING:
    from .watch import Watch


class OpenPlace:
    """A place where runs are not confined at all.

    Attributes:
        folder: where the folders of runs are made.
        highest_descriptor: the last of those that belong to the runtime when its process starts.
        is_apart: whether processes are in a pid namespace of their own: the server's are not seen from there.
        layers: what is in force, separated by commas.
        missing: what is not, and why, a line each.
        greeting: the frame by which a supervisor says that it is ready.
    """

    highest_descriptor = 3
    is_apart = False
    layers = ""
    missing = ""

    def __init__(self, folder: str) -> None:
        self.folder = folder
        self.greeting = wire.frame(wire.READY, wire.pack_fields({**describe(), "layers": ""}))

    def enter(self) -> None:
        """Confines the calling process, which will fork runs; it may be another process afterwards."""

    def confine_run(self) -> None:
        """Adds what belongs to a single run; called in it, before it has its task."""

    def fence_copy(self) -> None:
        """In a copy of a session: keeps it from signalling the original, where the kernel can do that."""

    def is_clean(self) -> bool:
        """Whether nothing is left of the last run, so that another may follow here."""
        return True

    def watch(self) -> Watch | None:
        """What looks after the next run while it goes on."""
        return None

    def findings(self, *, is_failure: bool) -> dict[str, str]:
        """What was seen of the last run that its answer should tell: fields of the last frame.

        Args:
            is_failure: whether the run ended otherwise than with exit code 0.
        """
        return {}


def place_for(folder: str, spec: str) -> OpenPlace:
    """The place that a specification describes (see `spec`); without one, an open place.

    Args:
        folder: the private folder of this interpreter.
        spec: JSON, or nothing.
    """
    if not spec:
        return OpenPlace(folder)
    from .place import Place
    from .spec import Spec

    return Place(Spec(spec), folder)
