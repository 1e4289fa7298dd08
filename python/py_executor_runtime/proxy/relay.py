"""Passing on what two connections send each other, for as long as there is something to pass on."""

from __future__ import annotations

import asyncio
import socket
import struct
import time
from typing import TYPE_CHECKING

from . import http_request
from .limits import HALF_OPEN_SECONDS, IDLE_SECONDS
from .refusal import Refusal

if TYPE_CHECKING:
    from collections.abc import Coroutine

CHUNK_BYTES = 64 * 1024


class Stream:
    """A connection as asyncio has it: the one half to read, the other to write."""

    def __init__(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        self.reader = reader
        self.writer = writer
        # `drain` then waits until all was handed to the kernel, which delivers it even if we close
        writer.transport.set_write_buffer_limits(high=0)

    def reset(self) -> None:
        """Ends it so that the other side takes it for broken, and not for complete (SO_LINGER, socket(7))."""
        connection = self.writer.get_extra_info("socket")
        try:
            connection.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))
        except OSError:
            pass  # it is broken already
        self.writer.transport.abort()


class Relay:
    """Both directions between a client and a server. A slow reader slows its writer down, so nothing piles up."""

    def __init__(self, client: Stream, server: Stream) -> None:
        """Takes connections that are open; whoever opened them closes them."""
        self._client = client
        self._server = server
        self._active = time.monotonic()

    async def tunnel(self) -> None:
        """Passes bytes on until both sides have ended.

        Raises:
            OSError: a connection broke; the other one should then break, too.
            asyncio.TimeoutError: nothing came for IDLE_SECONDS, or HALF_OPEN_SECONDS after the client has ended.
        """
        await self._run(
            self._forward(self._client, self._server), self._forward(self._server, self._client)
        )

    async def exchange(self) -> None:
        """Passes on the body of a request and the answer to it, until the answer ends; otherwise as `tunnel`."""
        await self._run(
            self._forward(self._client, self._server), self._forward_answer(), answer_is_all=True
        )

    async def _run(
        self,
        upward: Coroutine[None, None, None],
        downward: Coroutine[None, None, None],
        answer_is_all: bool = False,
    ) -> None:
        answer = asyncio.ensure_future(downward)
        request = asyncio.ensure_future(upward)
        pending = {request, answer}
        try:
            while pending and not (answer_is_all and answer.done()):
                patience = HALF_OPEN_SECONDS if request.done() else IDLE_SECONDS
                patience += self._active - time.monotonic()
                if patience <= 0:
                    raise asyncio.TimeoutError
                done, pending = await asyncio.wait(
                    pending, timeout=patience, return_when=asyncio.FIRST_COMPLETED
                )
                for direction in done:
                    direction.result()
        finally:
            for direction in pending:
                direction.cancel()
            await asyncio.gather(*pending, return_exceptions=True)

    async def _forward_answer(self) -> None:
        final = False
        while not final:
            try:
                head, final = await http_request.read_response_head(self._server.reader)
            except Refusal as refusal:
                self._client.writer.write(http_request.refuse(refusal))
                return
            self._active = time.monotonic()
            self._client.writer.write(head)
            await self._client.writer.drain()
        await self._forward(self._server, self._client)

    async def _forward(self, source: Stream, sink: Stream) -> None:
        while data := await source.reader.read(CHUNK_BYTES):
            self._active = time.monotonic()
            sink.writer.write(data)
            await sink.writer.drain()
        if sink.writer.can_write_eof():
            sink.writer.write_eof()
