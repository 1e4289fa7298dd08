"""A session process as its host sees it."""

from __future__ import annotations

import os

from . import process_tree
from .link import Link
from .orders import OrderChannel
from .run_folder import RunFolder, without_coding_cookie

TYPE_CHECKING = False  # typing itself takes longer to import than a run takes
if TYPE_CHECKING:
    from . import wire

    Ending = dict[str, wire.Value]


class HostedProcess:
    """A process that a session is, with all that belongs to it.

    Attributes:
        number: what the server calls it.
        pid: its process id.
        ending: why it is being killed, if it is; fields of a frame.
        is_told: whether the server knows of its end already.
        exits: a descriptor that becomes readable when it has ended, or None.
    """

    def __init__(
        self, number: int, pid: int, link: Link, orders: OrderChannel, folder: RunFolder
    ) -> None:
        self.number = number
        self.pid = pid
        self.link = link
        self.orders = orders
        self.folder = folder
        self.ending: Ending | None = None
        self.is_told = False
        self.exits = process_tree.exit_descriptor(pid)
        self._cells = 0

    def store(self, code: bytes) -> str:
        """Stores a cell's code as a file that stays as long as the session; returns its path."""
        self._cells += 1
        path = f"{self.folder.path}/cell{self._cells}.py"
        with open(path, "wb", buffering=0) as file:
            file.write(without_coding_cookie(code))
        return path

    def kill(self) -> None:
        """Kills it with all below it."""
        process_tree.kill_tree(self.pid)

    def note_exit(self) -> None:
        """Its end is noted when it is reaped."""
        if self.exits is not None:
            os.close(self.exits)
            self.exits = None

    def remove(self) -> None:
        """Lets go of all that belonged to it."""
        self.note_exit()
        self.kill()
        self.orders.close()
        for fd in (self.link.reports[0], self.link.output[0], self.link.errors[0]):
            os.close(fd)
        self.folder.remove()
