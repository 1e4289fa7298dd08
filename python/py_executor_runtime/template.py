"""A warm interpreter from which runs are forked, with the libraries that they use already imported.

Templates form a tree: the first one has little imported and is cheap to fork; another is forked from it, imports numpy,
and shares the memory of the first; and so on. Each has a socket of its own in a private folder. Whoever
connects says what the connection is for: a slot (a place for runs, see `slot`) or a further template.

No user code runs in a template, and no module of the workspace is imported.
"""

from __future__ import annotations

import _socket
import gc
import os
import select
import struct

from . import display, fresh, libc, preload, process_tree, slot, wire
from .containment.open_place import OpenPlace, place_for
from .interpreter import describe, package_folders
from .run_folder import remove_tree
from .terms import Terms

TYPE_CHECKING = False  # typing itself takes longer to import than a run takes
if TYPE_CHECKING:
    from typing import Any

_signal: Any = __import__("_signal")
CONTROL = 3
BACKLOG = 64
#: How long a connection may take to say what it is for.
GREETING_MS = 5000
#: How long slots and further templates may take to notice that the server has closed their connections.
CHILDREN_SECONDS = 2.0


class Opening:
    """How a template begins: the fields of a TEMPLATE frame.

    Attributes:
        socket: path of the socket that it listens on.
        modules: what it imports beyond what its parent has.
    """

    def __init__(self, payload: bytes) -> None:
        fields = wire.unpack_fields(payload)
        self.socket = fields["socket"].decode()
        self.modules = tuple(name for name in fields["modules"].decode().split(",") if name)


def main(terms: Terms) -> None:
    """Serves as the first template; returns, or ends by SystemExit, in whatever process this has become."""
    place = place_for(terms.folder, terms.spec)
    process_tree.close_strangers(place.highest_descriptor)
    message = wire.read_frame(CONTROL)
    if message is None:
        return
    first = os.getpid()
    template = Template(place, CONTROL, Opening(message[1]), allowed_peers=(terms.server, 0))
    connection = template.serve()
    if connection is None:
        template.end()
        is_last = os.getpid() == first and not place.is_apart
        if is_last and not process_tree.is_alive(terms.server):
            remove_tree(terms.root)  # the server was killed: this is the last one to go
        return
    place.enter()
    action = slot.serve(connection, place, for_sessions=template.is_for_sessions)
    if action is not None:
        action()


class Template:
    """One template process, and what it becomes by forking itself."""

    def __init__(
        self,
        place: OpenPlace,
        control: int,
        opening: Opening,
        allowed_peers: tuple[int, ...],
    ) -> None:
        """Imports what the opening says and reports on the control connection.

        Args:
            place: where runs will be confined.
            control: connection to the server; the template ends when it does.
            opening: where to listen and what to import.
            allowed_peers: processes that may connect (SO_PEERCRED, unix(7)); 0 is one of an outer pid namespace.
        """
        self.is_for_sessions = False
        """Of a slot: what it was asked for."""
        self._place = place
        self._allowed_peers = allowed_peers
        self._open(control, opening)

    def serve(self) -> int | None:
        """Forks what is asked for.

        Returns:
            In a forked slot: its connection. In a template: None, when it is over.
        """
        while True:
            for fd, _ in self._poller().poll():
                if fd == self._control:
                    return None  # the server has nothing more to say to a template than that it may end
                if fd == self._listener.fileno():
                    connection = self._accept()
                    if connection is not None:
                        return connection
                    break  # this may be another process now, to which the other events mean nothing
                else:
                    self._reap(fd)

    def end(self) -> None:
        """Ends everything that was forked from here; what notices by itself that it is over has the time to tidy up."""
        process_tree.wait_for_children(CHILDREN_SECONDS)
        process_tree.kill_all()
        self._listener.close()  # its name belongs to the server, who may have given it to another by now

    def _open(self, control: int, opening: Opening) -> None:
        self._control = control
        self._children: dict[int, int] = {}
        """Process ids by pidfd."""
        process_tree.adopt_orphans()
        _signal.signal(_signal.SIGCHLD, _signal.SIG_DFL)
        report = preload.import_all(opening.modules)
        display.prepare()
        if self._place.is_apart:
            _signal.signal(
                _signal.SIGCHLD, _signal.SIG_IGN
            )  # wait(2): children are reaped by the kernel
        fresh.note_modules()
        # what is there now is never garbage; left alone by the collector, its pages stay shared with the forks
        gc.collect()
        gc.freeze()
        libc.give_memory_back()
        self._listener = _socket.socket(_socket.AF_UNIX, _socket.SOCK_STREAM)
        self._listener.bind(opening.socket)
        self._listener.listen(BACKLOG)
        fields = {**describe(), **report, "package_folders": "\0".join(package_folders())}
        fields.update(layers=self._place.layers, missing=self._place.missing)
        wire.write_all(control, wire.frame(wire.READY, wire.pack_fields(fields)))

    def _poller(self) -> select.poll:
        poller = select.poll()
        for fd in (self._control, self._listener.fileno(), *self._children):
            poller.register(fd, select.POLLIN)
        return poller

    def _accept(self) -> int | None:
        """Takes a connection and forks; returns it in a forked slot, None in a template, old or new."""
        listener: Any = (
            self._listener
        )  # the descriptor alone is what socket.socket.accept is made of
        connection: int = listener._accept()[0]
        if not self._is_allowed(connection):
            os.close(connection)
            return None
        message = wire.read_frame(connection)
        if message is None:
            os.close(connection)
            return None
        own_pid = os.getpid()
        pid = os.fork()
        if pid:
            os.close(connection)
            self._watch(pid)
            return None
        process_tree.die_with_parent(own_pid)
        self._leave()
        if message[0] in (wire.SLOT, wire.SESSION):
            self.is_for_sessions = message[0] == wire.SESSION
            return connection
        self._open(connection, Opening(message[1]))
        return None

    def _is_allowed(self, connection: int) -> bool:
        peer = _socket.socket(fileno=os.dup(connection))
        try:
            credentials = peer.getsockopt(_socket.SOL_SOCKET, _socket.SO_PEERCRED, 12)
        finally:
            peer.close()
        poller = select.poll()
        poller.register(connection, select.POLLIN)
        return struct.unpack("iii", credentials)[0] in self._allowed_peers and bool(
            poller.poll(GREETING_MS)
        )

    def _leave(self) -> None:
        """In a fork: closes what belongs to the template it was forked from."""
        self._listener.close()
        for fd in (self._control, *self._children):
            os.close(fd)

    def _watch(self, pid: int) -> None:
        if self._place.is_apart:
            return  # the kernel reaps, and nothing of a run can come here: it has an init process of its own
        try:
            self._children[os.pidfd_open(pid)] = pid
        except (AttributeError, OSError):
            while os.waitpid(-1, os.WNOHANG)[0]:
                pass  # no pidfds (before Linux 5.3): what has ended is reaped when something new begins

    def _reap(self, pidfd: int) -> None:
        os.waitpid(self._children.pop(pidfd), 0)
        os.close(pidfd)
        # a slot that its own run has killed leaves that run's processes to us
        process_tree.kill_orphans(known=set(self._children.values()))
