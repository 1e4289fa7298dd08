"""Where runs come from: a listener in their network namespace, handed over by the supervisor that is in there with them."""

from __future__ import annotations

import asyncio
import errno
import json
import os
import socket
from functools import partial
from typing import TYPE_CHECKING

from . import connection
from .limits import HANDSHAKE_SECONDS, MAX_CONNECTIONS, MAX_REPORTS, MAX_REQUEST_HEAD_BYTES
from .relay import Stream

if TYPE_CHECKING:
    from .refusal import Denied
    from .rules import Rules

#: What accept(2) says of a socket that never again accepts anything; all else passes.
NO_LISTENER = (errno.EBADF, errno.EINVAL, errno.ENOTSOCK)
#: Between attempts to accept while there are no descriptors left.
RETRY_SECONDS = 0.1
#: What a supervisor may leave unread before it is told no more.
MAX_UNREAD_BYTES = 64 * 1024


class Place:
    """A supervisor's connection, and the connections of its runs.

    The supervisor sends one message with the descriptor of a TCP socket that listens on 127.0.0.1 in its own network
    namespace; whoever holds a descriptor can accept connections, wherever he is (network_namespaces(7)). From then on, a byte
    from the supervisor says that a run is over: nothing more is told of its connections, and its denials are forgotten.

    What is denied is told the supervisor in lines of JSON: `{"denied": "host:port", "reason": "…"}`, printable ASCII, each
    target once for a run, and MAX_REPORTS of them.
    """

    def __init__(self, rules: Rules) -> None:
        self._rules = rules
        self._tasks: set[asyncio.Task[None]] = set()
        self._room = asyncio.Semaphore(MAX_CONNECTIONS)
        self._run = 0
        self._reported: set[str] = set()
        self._writer: asyncio.StreamWriter | None = None

    async def serve(self, supervisor: socket.socket) -> None:
        """Serves until the supervisor closes its connection, which is closed here then, too."""
        with supervisor:
            listener = await asyncio.wait_for(_receive_listener(supervisor), HANDSHAKE_SECONDS)
            if listener is None:
                return
            reader, self._writer = await asyncio.open_unix_connection(sock=supervisor)
            accepting = asyncio.ensure_future(self._accept(listener))
            reading = asyncio.ensure_future(self._read(reader))
            try:
                await asyncio.wait((accepting, reading), return_when=asyncio.FIRST_COMPLETED)
            finally:
                for task in (accepting, reading):
                    task.cancel()
                await asyncio.gather(accepting, reading, return_exceptions=True)
                _close_listener(listener)
                self._writer.transport.abort()
                await self._end_connections()

    async def _read(self, reader: asyncio.StreamReader) -> None:
        while await reader.read(1024):
            self._run += 1
            self._reported.clear()

    async def _accept(self, listener: socket.socket) -> None:
        loop = asyncio.get_running_loop()
        while True:
            await self._room.acquire()
            try:
                accepted, _ = await loop.sock_accept(listener)
            except OSError as problem:
                self._room.release()
                if problem.errno in NO_LISTENER:
                    return
                await asyncio.sleep(RETRY_SECONDS)
                continue
            task = asyncio.ensure_future(self._serve(accepted, self._run))
            self._tasks.add(task)
            task.add_done_callback(self._forget)

    def _forget(self, task: asyncio.Task[None]) -> None:
        self._tasks.discard(task)
        self._room.release()

    async def _serve(self, accepted: socket.socket, run: int) -> None:
        with accepted:
            streams = await asyncio.open_connection(sock=accepted, limit=MAX_REQUEST_HEAD_BYTES)
            report = partial(self._report, run)
            await connection.serve(Stream(*streams), self._rules, report)

    async def _end_connections(self) -> None:
        ending = self._tasks.copy()
        while ending:
            for task in ending:
                task.cancel()
            # once may not be enough: before Python 3.12, `wait_for` can lose a cancellation
            _, ending = await asyncio.wait(ending, timeout=1)

    def _report(self, run: int, denied: Denied) -> None:
        if self._writer is None or run != self._run or denied.target in self._reported:
            return
        unread = self._writer.transport.get_write_buffer_size()
        if len(self._reported) < MAX_REPORTS and unread < MAX_UNREAD_BYTES:
            self._reported.add(denied.target)
            line = json.dumps({"denied": denied.target, "reason": denied.reason}) + "\n"
            self._writer.write(line.encode("ascii"))


async def _receive_listener(supervisor: socket.socket) -> socket.socket | None:
    """The listener that comes with the first message; None if something else does."""
    await _readable(supervisor)
    _, descriptors, _, _ = socket.recv_fds(supervisor, 1, 1)
    if not descriptors:
        return None
    try:
        listener = socket.socket(fileno=descriptors[0])
    except OSError:
        os.close(descriptors[0])
        return None
    try:
        listens = listener.getsockopt(socket.SOL_SOCKET, socket.SO_ACCEPTCONN)
        if listens and listener.getsockname()[0] == "127.0.0.1":
            listener.setblocking(False)
            return listener
    except OSError:
        pass
    listener.close()
    return None


async def _readable(connection: socket.socket) -> None:
    loop = asyncio.get_running_loop()
    event = asyncio.Event()
    loop.add_reader(connection, event.set)
    try:
        await event.wait()
    finally:
        loop.remove_reader(connection)


def _close_listener(listener: socket.socket) -> None:
    try:
        # for all who hold it, so that nobody waits in its queue
        listener.shutdown(socket.SHUT_RDWR)
    except OSError:
        pass
    listener.close()
