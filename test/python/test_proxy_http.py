"""Plain HTTP through the proxy, and the proxy as the clients of Python programs use it."""

from __future__ import annotations

import http.client
import os
import shutil
import socket
import ssl
import subprocess
import sys
import time
from contextlib import contextmanager
from typing import TYPE_CHECKING

import pytest
from proxy_process import OneServer, ProxyProcess, Supervisor, read_all, read_exactly, read_head

if TYPE_CHECKING:
    from collections.abc import Callable, Generator
    from pathlib import Path

SCRIPT = """
import sys, urllib.request
for _ in range(2):
    with urllib.request.urlopen(sys.argv[1], data=sys.argv[2].encode() or None) as answer:
        print(answer.status, answer.read().decode())
"""


@contextmanager
def reaching(
    serve: Callable[[socket.socket], None],
) -> Generator[tuple[Supervisor, str], None, None]:
    """A place that may reach this server, and the server's `host:port`."""
    server = OneServer(serve)
    proxy = ProxyProcess(("127.0.0.1", server.port))
    place = Supervisor(proxy)
    try:
        yield place, f"127.0.0.1:{server.port}"
    finally:
        place.close()
        proxy.close()
        server.close()


def tell_request(connection: socket.socket) -> None:
    """Answers with what was asked, and keeps the connection."""
    head = read_head(connection)
    size = int(dict(fields(head)).get("content-length", "0"))
    body = head + read_exactly(connection, size)
    connection.sendall(
        b"HTTP/1.1 200 OK\r\nConnection: keep-alive\r\nKeep-Alive: timeout=5\r\n"
        + f"Content-Length: {len(body)}\r\nX-Kept: 1\r\n\r\n".encode()
        + body
    )
    read_all(connection)


def fields(head: bytes) -> list[tuple[str, str]]:
    lines = head.decode("latin-1").split("\r\n")[1:-2]
    return [(name.lower(), value.strip()) for name, _, value in (ln.partition(":") for ln in lines)]


def test_a_request_arrives_in_origin_form_without_what_was_for_the_proxy() -> None:
    with reaching(tell_request) as (place, at), place.client() as client:
        client.sendall(
            f"POST HTTP://{at}/a?b=%20 HTTP/1.1\r\n"
            "Host: elsewhere.example\r\n"
            "Proxy-Authorization: Basic eA==\r\n"
            "Proxy-Connection: keep-alive\r\n"
            "Connection: keep-alive, X-Hop, Content-Length\r\n"
            "X-Hop: 1\r\n"
            "TE: trailers\r\n"
            "Upgrade: h2c\r\n"
            "X-End: é\r\n"
            "Content-Length: 4\r\n\r\nbody".encode()
        )
        read_head(client)
        got = read_exactly(client, 1)
        while not got.endswith(b"body"):
            got += read_exactly(client, 1)
    head = got.decode("utf-8").split("\r\n")
    assert head == [
        "POST /a?b=%20 HTTP/1.1",
        f"Host: {at}",
        "X-End: é",
        "Content-Length: 4",
        "Connection: close",
        "",
        "body",
    ]


@pytest.mark.parametrize(
    ("method", "path", "arrives"),
    [
        ("GET", "", "/"),
        ("GET", "?q", "/?q"),
        ("OPTIONS", "", "*"),
        ("OPTIONS", "/", "/"),
        ("HEAD", "//x", "//x"),
    ],
)
def test_the_path_arrives_as_servers_expect_it(method: str, path: str, arrives: str) -> None:
    with reaching(tell_request) as (place, at), place.client() as client:
        client.sendall(f"{method} http://{at}{path} HTTP/1.0\r\n\r\n".encode())
        read_head(client)
        assert (
            read_exactly(client, len(method) + len(arrives) + 1).decode() == f"{method} {arrives}"
        )


def test_the_client_is_told_that_the_connection_is_for_one_request() -> None:
    with reaching(tell_request) as (place, at), place.client() as client:
        client.sendall(f"GET http://{at}/ HTTP/1.1\r\n\r\n".encode())
        head = fields(read_head(client))
    assert [pair for pair in head if pair[0] in ("connection", "keep-alive", "x-kept")] == [
        ("x-kept", "1"),
        ("connection", "close"),
    ]


def test_a_client_may_wait_to_be_told_to_go_on() -> None:
    def ask_for_body(connection: socket.socket) -> None:
        read_head(connection)
        connection.sendall(
            b"HTTP/1.1 103 Early Hints\r\nLink: x\r\n\r\nHTTP/1.1 100 Continue\r\n\r\n"
        )
        body = read_exactly(connection, 4)
        connection.sendall(b"HTTP/1.1 200 OK\r\n\r\n" + body)

    with reaching(ask_for_body) as (place, at), place.client() as client:
        client.sendall(f"PUT http://{at}/ HTTP/1.1\r\nExpect: 100-continue\r\n\r\n".encode())
        assert read_head(client) == b"HTTP/1.1 103 Early Hints\r\nLink: x\r\n\r\n"
        assert read_head(client) == b"HTTP/1.1 100 Continue\r\n\r\n"
        client.sendall(b"body")
        assert read_all(client) == b"HTTP/1.1 200 OK\r\nConnection: close\r\n\r\nbody"


def test_a_large_answer_arrives_whole_at_a_slow_client() -> None:
    size = 500 * 65536 + 10_000  # whole chunks of the relay, and a last one that is small

    def answer(connection: socket.socket) -> None:
        read_head(connection)
        connection.sendall(b"HTTP/1.1 200 OK\r\n\r\n" + bytes(size))

    with reaching(answer) as (place, at), place.client() as client:
        client.sendall(f"GET http://{at}/ HTTP/1.1\r\n\r\n".encode())
        client.shutdown(socket.SHUT_WR)
        read_head(client)
        received = 0
        while data := client.recv(500_000):
            received += len(data)
            time.sleep(0.05)
    assert received == size


@pytest.mark.parametrize(
    "answer",
    [
        b"",
        b"SSH-2.0-x\r\n\r\n",
        b"HTTP/1.1 200 OK\r\nbroken",
        b"HTTP/1.1 200 OK\r\nno colon\r\n\r\n",
        b"HTTP/1.1 200 OK\r\nA: " + b"x" * 70_000 + b"\r\n\r\n",
    ],
    ids=["nothing", "ssh", "half", "malformed", "too large"],
)
def test_a_server_that_does_not_speak_http_is_a_bad_gateway(answer: bytes) -> None:
    def say(connection: socket.socket) -> None:
        read_head(connection)
        connection.sendall(answer)
        connection.shutdown(socket.SHUT_WR)
        read_all(connection)

    with reaching(say) as (place, at):
        told = place.ask(f"GET http://{at}/ HTTP/1.1\r\n\r\n".encode())
    assert told.startswith(b"HTTP/1.1 502 ")


def run_script(place: Supervisor, *arguments: str, **variables: str) -> tuple[str, str]:
    """Runs a program that knows of the proxy by the usual variables only."""
    address = f"http://127.0.0.1:{place.port}"
    names = ("HTTP_PROXY", "HTTPS_PROXY", "http_proxy", "https_proxy")
    environment = {"PATH": os.environ["PATH"], **dict.fromkeys(names, address), **variables}
    outcome = subprocess.run(
        [sys.executable, "-c", SCRIPT, *arguments],
        check=False,
        env=environment,
        capture_output=True,
        text=True,
        timeout=30,
    )
    return outcome.stdout, outcome.stderr


def test_urllib_fetches_http_by_the_usual_variables() -> None:
    with reaching(tell_request) as (place, at):
        output, errors = run_script(place, f"http://{at}/x", "data")
    assert errors == ""
    assert output.count("200 POST /x HTTP/1.1\n") == 2
    assert output.count("data\n") == 2


def test_urllib_fetches_https_by_the_usual_variables(tmp_path: Path) -> None:
    openssl = shutil.which("openssl")
    if openssl is None:
        pytest.skip("missing: openssl, to make a certificate")
    key, certificate = tmp_path / "key.pem", tmp_path / "certificate.pem"
    subprocess.run(
        (
            *(openssl, "req", "-x509", "-newkey", "rsa:2048", "-nodes", "-subj", "/CN=localhost"),
            *("-addext", "subjectAltName=IP:127.0.0.1", "-keyout", key, "-out", certificate),
        ),
        check=True,
        capture_output=True,
    )
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    context.load_cert_chain(certificate, key)

    def serve(connection: socket.socket) -> None:
        with context.wrap_socket(connection, server_side=True) as secure:
            read_head(secure)
            secure.sendall(b"HTTP/1.1 200 OK\r\nContent-Length: 5\r\n\r\nhello")

    with reaching(serve) as (place, at):
        output, errors = run_script(place, f"https://{at}/", "", SSL_CERT_FILE=str(certificate))
    assert (output, errors) == ("200 hello\n" * 2, "")


@pytest.mark.parametrize("scheme", ["http", "https"])
def test_what_urllib_raises_for_a_denial_names_the_option(scheme: str) -> None:
    with reaching(tell_request) as (place, _):
        _, errors = run_script(place, f"{scheme}://example.com/", "")
        assert "403 Forbidden by --allow-net of py-executor" in errors.replace(
            "Error 403: ", "403 "
        )
        assert place.denial()["denied"] == f"example.com:{443 if scheme == 'https' else 80}"


def test_a_client_that_reuses_connections_makes_a_new_one_for_each_request() -> None:
    with reaching(tell_request) as (place, at):
        client = http.client.HTTPConnection("127.0.0.1", place.port, timeout=10)
        for path in ("/1", "/2"):
            client.request("GET", f"http://{at}{path}")
            with client.getresponse() as answer:
                assert answer.read().startswith(f"GET {path} ".encode())
        client.close()
