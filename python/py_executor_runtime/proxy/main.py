"""The process: it listens for supervisors, and ends with the server.

Arguments: the path of the Unix socket to listen on, in the server's private folder, and the rules as JSON
(`[{"host": "example.com", "port": 443}, {"host": "*.example.org", "port": null}]`). Standard input is a pipe from the
server; at its end the process ends at once. On standard output one line, `ready`, says that the socket is there. Wrong
arguments end it with status 2 and a line on standard error, a socket that can't be made with 1.

Linux only: elsewhere there are no network namespaces, and SO_PEERCRED is something else.
"""

from __future__ import annotations

import asyncio
import logging
import os
import resource
import signal
import socket
import struct
import sys
from concurrent.futures import ThreadPoolExecutor

from .limits import MAX_PLACES
from .place import Place
from .rules import Rules

STDIN = 0
BACKLOG = 64
#: Threads that look up names; the C library has no other way.
RESOLVERS = 16


def main(arguments: list[str]) -> int:
    """Runs the proxy; returns the exit status if it can't be started."""
    try:
        path, rules_text = arguments
        rules = Rules.from_json(rules_text)
    except ValueError as problem:
        _complain(f"wrong arguments: {problem}")
        return 2
    try:
        listener = _listen(path)
    except OSError as problem:
        _complain(f"cannot listen on its socket: {problem.strerror or problem}")
        return 1
    signal.signal(
        signal.SIGINT, signal.SIG_IGN
    )  # of a terminal; the server decides when it is over
    _raise_descriptor_limit()
    logging.getLogger("asyncio").disabled = True  # it writes tracebacks
    asyncio.run(_serve(listener, rules, path))
    return 0


async def _serve(listener: socket.socket, rules: Rules, path: str) -> None:
    loop = asyncio.get_running_loop()
    loop.set_exception_handler(_note)
    loop.set_default_executor(ThreadPoolExecutor(RESOLVERS))
    loop.add_reader(STDIN, _end_with_server, path)
    sys.stdout.write("ready\n")
    sys.stdout.flush()
    room = asyncio.Semaphore(MAX_PLACES)
    places: set[asyncio.Task[None]] = set()
    while True:
        await room.acquire()
        try:
            supervisor, _ = await loop.sock_accept(listener)
        except OSError:  # no descriptors left, for now
            room.release()
            await asyncio.sleep(0.1)
            continue
        place = asyncio.ensure_future(_serve_place(supervisor, rules))
        places.add(place)
        place.add_done_callback(places.discard)
        place.add_done_callback(lambda _: room.release())


async def _serve_place(supervisor: socket.socket, rules: Rules) -> None:
    if not _is_own(supervisor):
        supervisor.close()
        return
    try:
        await Place(rules).serve(supervisor)
    except (OSError, asyncio.TimeoutError):
        pass  # it left


def _listen(path: str) -> socket.socket:
    listener = socket.socket(socket.AF_UNIX, socket.SOCK_STREAM)
    before = os.umask(0o177)
    try:
        listener.bind(path)
    except OSError:
        listener.close()
        raise
    finally:
        os.umask(before)
    listener.listen(BACKLOG)
    listener.setblocking(False)
    return listener


def _is_own(supervisor: socket.socket) -> bool:
    """Whether the peer is a process of our own user (SO_PEERCRED, unix(7)), in whatever user namespace."""
    credentials = supervisor.getsockopt(socket.SOL_SOCKET, socket.SO_PEERCRED, 12)
    return struct.unpack("iII", credentials)[1] == os.getuid()


def _end_with_server(path: str) -> None:
    try:
        if os.read(STDIN, 4096):
            return
    except BlockingIOError:
        return
    except OSError:
        pass
    try:
        os.unlink(path)
    except OSError:
        pass
    os._exit(0)  # and not after the look-ups that threads are waiting for


def _raise_descriptor_limit() -> None:
    hard = resource.getrlimit(resource.RLIMIT_NOFILE)[1]
    try:
        resource.setrlimit(resource.RLIMIT_NOFILE, (hard, hard))
    except (OSError, ValueError):
        pass


def _note(_loop: asyncio.AbstractEventLoop, context: dict[str, object]) -> None:
    """A fault of ours, in one line: no more is known to be fit for the log."""
    _complain(f"{type(context.get('exception')).__name__} in a connection")


def _complain(problem: str) -> None:
    sys.stderr.write(f"py-executor proxy: {problem}\n")
