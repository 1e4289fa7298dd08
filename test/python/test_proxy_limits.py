"""How long connections through the proxy may take. The limits are lowered for it; everything else is real."""

from __future__ import annotations

import asyncio
import socket
import threading
import time
from typing import TYPE_CHECKING

import pytest
from proxy_process import PATIENCE, OneServer, echo, read_exactly
from py_executor_runtime.proxy import connection, limits, relay
from py_executor_runtime.proxy.relay import Stream
from py_executor_runtime.proxy.rules import Rules

if TYPE_CHECKING:
    from collections.abc import Iterator

    from py_executor_runtime.proxy.refusal import Denied

SHORT = 0.3
HEAD = "CONNECT 127.0.0.1:{} HTTP/1.1\r\n\r\n"
OPEN = b"HTTP/1.1 200 Connection established\r\n\r\n"


def serve(ours: socket.socket) -> None:
    def ignore(_denied: Denied) -> None:
        pass

    async def serve_connection() -> None:
        streams = await asyncio.open_connection(sock=ours, limit=limits.MAX_REQUEST_HEAD_BYTES)
        rules = Rules.from_json('[{"host": "127.0.0.1"}]')
        await connection.serve(Stream(*streams), rules, ignore)

    asyncio.run(serve_connection())


@pytest.fixture
def short_handshake(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(connection, "HANDSHAKE_SECONDS", SHORT)


@pytest.fixture
def client() -> Iterator[socket.socket]:
    """A connection that is being served."""
    with socket.create_server(("127.0.0.1", 0)) as listener:
        client = socket.create_connection(listener.getsockname(), timeout=PATIENCE)
        ours, _ = listener.accept()
    server = threading.Thread(target=serve, args=(ours,))
    server.start()
    yield client
    client.close()
    server.join(PATIENCE)
    assert not server.is_alive()


@pytest.fixture
def server() -> Iterator[OneServer]:
    server = OneServer(echo)
    yield server
    server.close()


def has_ended(client: socket.socket) -> bool:
    try:
        return client.recv(1) == b""
    except ConnectionResetError:
        return True


@pytest.mark.usefixtures("short_handshake")
@pytest.mark.parametrize("said", [b"", b"GET ", b"\5", b"\5\1\0\5\1"])
def test_a_client_that_does_not_come_to_the_point_is_hung_up_on(
    said: bytes, client: socket.socket
) -> None:
    client.sendall(said)
    while not has_ended(client):
        pass


def test_a_tunnel_that_carries_nothing_for_long_ends(
    client: socket.socket, server: OneServer, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(relay, "IDLE_SECONDS", SHORT)
    client.sendall(HEAD.format(server.port).encode())
    assert read_exactly(client, len(OPEN)) == OPEN
    for _ in range(10):  # longer in all, but never silent for as long
        client.sendall(b"x")
        assert read_exactly(client, 1) == b"x"
        time.sleep(SHORT / 5)
    assert has_ended(client)


def test_a_client_that_has_ended_its_side_gets_the_rest_for_a_shorter_time(
    client: socket.socket, monkeypatch: pytest.MonkeyPatch
) -> None:
    def go_on(connection: socket.socket) -> None:
        while connection.recv(1):
            pass
        for _ in range(10):
            connection.sendall(b"x")
            time.sleep(SHORT / 5)
        time.sleep(2 * PATIENCE)

    server = OneServer(go_on)
    monkeypatch.setattr(relay, "HALF_OPEN_SECONDS", SHORT)
    client.sendall(HEAD.format(server.port).encode())
    client.shutdown(socket.SHUT_WR)
    assert read_exactly(client, len(OPEN) + 10) == OPEN + b"x" * 10
    assert has_ended(client)
    server.close()
