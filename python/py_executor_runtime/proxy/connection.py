"""One connection of a run, from its first byte to its end."""

from __future__ import annotations

import asyncio
from typing import TYPE_CHECKING, NamedTuple

from . import http_request, socks_request, upstream
from .limits import HANDSHAKE_SECONDS, LINGER_SECONDS
from .refusal import Denied, Refusal
from .relay import CHUNK_BYTES, Relay, Stream

if TYPE_CHECKING:
    from collections.abc import Callable

    from .rules import Rules, Target

SOCKS = bytes((socks_request.VERSION,))


class Opening(NamedTuple):
    """What a client wants.

    Attributes:
        target: where to.
        answer: what the client is told when the server is reached; empty if the server answers.
        request: what the server is told first.
    """

    target: Target
    answer: bytes
    request: bytes


async def serve(client: Stream, rules: Rules, report: Callable[[Denied], None]) -> None:
    """Serves a connection and closes it. What the client gets wrong, or breaks, is no error.

    Args:
        client: the connection, of which nothing has been read.
        rules: what is allowed.
        report: told of what isn't, before the client is: when a run knows of it, its supervisor can.
    """
    try:
        await _serve(client, rules, report)
    except (OSError, EOFError, asyncio.TimeoutError):
        pass
    finally:
        client.writer.transport.abort()


async def _serve(client: Stream, rules: Rules, report: Callable[[Denied], None]) -> None:
    deadline = asyncio.get_running_loop().time() + HANDSHAKE_SECONDS
    first = await asyncio.wait_for(client.reader.readexactly(1), HANDSHAKE_SECONDS)
    refuse = socks_request.refuse if first == SOCKS else http_request.refuse
    server = None
    try:
        patience = deadline - asyncio.get_running_loop().time()
        opening = await asyncio.wait_for(_read_opening(client, first), patience)
        if opening is not None:
            server = Stream(*await upstream.connect(opening.target, rules))
            await _relay(client, server, opening)
    except Refusal as refusal:
        if isinstance(refusal, Denied):
            report(refusal)
        client.writer.write(refuse(refusal))
    finally:
        if server is not None:
            server.writer.transport.abort()
    await _finish(client)


async def _read_opening(client: Stream, first: bytes) -> Opening | None:
    if first == SOCKS:
        target = await socks_request.read_request(client.reader, client.writer)
        return target and Opening(target, socks_request.granted(), b"")
    request = await http_request.read_request(client.reader, first)
    return Opening(request.target, b"" if request.head else http_request.TUNNEL_OPEN, request.head)


async def _relay(client: Stream, server: Stream, opening: Opening) -> None:
    relay = Relay(client, server)
    client.writer.write(opening.answer)
    server.writer.write(opening.request)
    try:
        await (relay.exchange() if opening.request else relay.tunnel())
    except (OSError, asyncio.TimeoutError):
        client.reset()
        server.reset()
        raise


async def _finish(client: Stream) -> None:
    """Lets what was written arrive. What the client still sends is read: if it weren't, the kernel would answer with a
    reset, which can overtake the last words (RFC 9112, 9.6)."""
    client.writer.write_eof()
    try:
        await asyncio.wait_for(_discard(client), LINGER_SECONDS)
    except asyncio.TimeoutError:
        pass


async def _discard(client: Stream) -> None:
    while await client.reader.read(CHUNK_BYTES):
        pass
