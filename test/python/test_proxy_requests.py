"""What the proxy makes of requests that it doesn't understand, or can't fulfil."""

from __future__ import annotations

import random
import socket

import pytest
from proxy_process import (
    OneServer,
    Supervisor,
    place_for,
    read_all,
    socks,
    socks_name,
)

SEED = 20240229


@pytest.mark.parametrize(
    ("data", "answer"),
    [
        (b"GET / HTTP/1.1\r\nHost: example.com\r\n\r\n", b"HTTP/1.1 400 "),
        (b"GET https://example.com/ HTTP/1.1\r\n\r\n", b"HTTP/1.1 400 "),
        (b"GET http://user@example.com/ HTTP/1.1\r\n\r\n", b"HTTP/1.1 400 "),
        (b"GET http://127.1/ HTTP/1.1\r\n\r\n", b"HTTP/1.1 400 "),
        (b"GET http:///x HTTP/1.1\r\n\r\n", b"HTTP/1.1 400 "),
        (b"GET http://example.com/ HTTP/2.0\r\n\r\n", b"HTTP/1.1 400 "),
        (b"GET http://example.com/ HTTP/1.1\r\n folded: x\r\n\r\n", b"HTTP/1.1 400 "),
        (b"GET http://example.com/ HTTP/1.1\r\na: b\nc: d\r\n\r\n", b"HTTP/1.1 400 "),
        (b"GET http://example.com/ HTTP/1.1\r\na : b\r\n\r\n", b"HTTP/1.1 400 "),
        (b"GET http://example.com/ HTTP/1.1\r\na: \0\r\n\r\n", b"HTTP/1.1 400 "),
        (b"CONNECT example.com HTTP/1.1\r\n\r\n", b"HTTP/1.1 400 "),
        (b"CONNECT \xff:1 HTTP/1.1\r\n\r\n", b"HTTP/1.1 400 "),
        (b"GET http://example.com/ HTTP/1.1\r\na: " + b"x" * 17_000, b"HTTP/1.1 431 "),
        (b"\5\1\2", b"\5\xff"),
        (socks(1, bytes(4), 80, command=2), b"\5\0\5\7"),
        (socks(2, b"", 80), b"\5\0\5\x08"),
        (socks_name(b"\xff", 80), b"\5\0\5\1"),
        (socks_name(b"a\0b", 80), b"\5\0\5\1"),
        (socks_name(b"", 80), b"\5\0\5\1"),
        (socks_name(b"example.com", 0), b"\5\0\5\1"),
    ],
)
def test_a_request_that_makes_no_sense_is_refused(
    place: Supervisor, data: bytes, answer: bytes
) -> None:
    assert place.ask(data).startswith(answer)
    place.connection.shutdown(socket.SHUT_WR)
    assert place.ended()  # it is no denial


def test_what_cannot_be_reached_is_told_so() -> None:
    with socket.create_server(("127.0.0.1", 0)) as closed:
        port = closed.getsockname()[1]
    for place in place_for(("127.0.0.1", None)):
        answer = place.ask(f"CONNECT 127.0.0.1:{port} HTTP/1.1\r\n\r\n".encode())
        assert answer.startswith(b"HTTP/1.1 502 ")
        assert b"refused the connection" in answer
        assert place.ask(socks(1, bytes((127, 0, 0, 1)), port))[:4] == b"\5\0\5\5"


def test_hostile_bytes_do_no_harm(place: Supervisor, server: OneServer) -> None:
    generator = random.Random(SEED)
    valid = [
        f"CONNECT 127.0.0.1:{server.port} HTTP/1.1\r\nA: b\r\n\r\n".encode(),
        f"POST http://127.0.0.1:{server.port}/x?y HTTP/1.1\r\nConnection: a\r\nA: b\r\n\r\nb".encode(),
        socks_name(b"example.com", 443),
        socks(4, bytes(15) + b"\1", server.port),
    ]
    for _ in range(600):
        data = bytearray(generator.choice(valid))
        for _ in range(generator.randrange(1, 6)):
            at = generator.randrange(len(data) + 1)
            kind = generator.randrange(3)
            if kind == 0:
                data[at:at] = generator.randbytes(generator.randrange(1, 9))
            elif kind == 1:
                del data[at : at + generator.randrange(1, 9)]
            else:
                data[at : at + 1] = generator.choice([b"\r\n", b"\0", b" ", b":", b"\xff", b"["])
        with place.client() as client:
            client.sendall(data)
            if generator.randrange(2):
                client.shutdown(socket.SHUT_WR)
                try:
                    read_all(client)
                except ConnectionResetError:
                    pass
    with place.tunnel("127.0.0.1", server.port) as client:
        client.sendall(b"x")
        assert client.recv(1) == b"x"
