"""The proxy between runs and the hosts that the operator named, as a process with real connections."""

from __future__ import annotations

import os
import random
import socket
import struct
import subprocess
import sys
import threading
import time

import pytest
from proxy_process import (
    BOOT,
    PATIENCE,
    OneServer,
    ProxyProcess,
    Supervisor,
    echo,
    place_for,
    read_all,
    read_exactly,
    read_head,
    socks,
    socks_name,
)

SEED = 20240229


# Tunnels


def test_a_tunnel_carries_bytes_in_both_directions_until_both_have_ended(
    place: Supervisor, server: OneServer
) -> None:
    data = random.Random(SEED).randbytes(5_000_000)
    with place.tunnel("127.0.0.1", server.port) as client:

        def send() -> None:
            client.sendall(data)
            client.shutdown(socket.SHUT_WR)

        sender = threading.Thread(target=send)
        sender.start()
        received = read_all(client)
        sender.join()
    assert received == data


def test_bytes_sent_along_with_the_request_are_not_lost(
    place: Supervisor, server: OneServer
) -> None:
    with place.client() as client:
        client.sendall(f"CONNECT 127.0.0.1:{server.port} HTTP/1.0\r\n\r\nearly".encode())
        assert read_head(client).startswith(b"HTTP/1.1 200 ")
        assert read_exactly(client, 5) == b"early"


@pytest.mark.parametrize("host", ["127.0.0.1", "::1"])
def test_a_socks_client_reaches_addresses(host: str) -> None:
    server = OneServer(echo, host)
    for place in place_for((host, server.port)):
        family = socket.AF_INET6 if ":" in host else socket.AF_INET
        kind = 4 if ":" in host else 1
        with place.client() as client:
            client.sendall(socks(kind, socket.inet_pton(family, host), server.port) + b"hello")
            assert read_exactly(client, 2) == b"\5\0"
            assert read_exactly(client, 10) == bytes((5, 0, 0, 1, 0, 0, 0, 0, 0, 0))
            assert read_exactly(client, 5) == b"hello"
    server.close()


def test_a_socks_client_reaches_names(server: OneServer) -> None:
    for place in place_for(("localhost", server.port)), place_for(("LocalHost.", None)):
        for allowed in place:
            with allowed.client() as client:
                client.sendall(socks_name(b"localhost", server.port) + b"hello")
                assert read_exactly(client, 12)[3] == 0
                assert read_exactly(client, 5) == b"hello"


def test_a_server_that_sends_faster_than_the_run_reads_is_slowed_down() -> None:
    sent = 0

    def flood(connection: socket.socket) -> None:
        nonlocal sent
        connection.settimeout(1)
        while sent < 200_000_000:
            sent += connection.send(bytes(65536))

    server = OneServer(flood)
    for place in place_for(("127.0.0.1", server.port)):
        with place.tunnel("127.0.0.1", server.port):
            before = -1
            while sent != before:
                before = sent
                time.sleep(0.5)
            assert sent < 50_000_000
    server.close()


def test_a_connection_that_breaks_is_not_taken_for_one_that_ended() -> None:
    def break_off(connection: socket.socket) -> None:
        read_head(connection)
        connection.sendall(b"HTTP/1.1 200 OK\r\n\r\nhalf of the ans")
        time.sleep(0.2)
        connection.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))

    server = OneServer(break_off)
    for place in place_for(("127.0.0.1", server.port)):
        with pytest.raises(ConnectionResetError):
            place.ask(f"GET http://127.0.0.1:{server.port}/ HTTP/1.1\r\n\r\n".encode())
    server.close()


# What is denied


@pytest.mark.parametrize(
    ("request_head", "denied"),
    [
        (b"CONNECT example.com:443 HTTP/1.1\r\n\r\n", "example.com:443"),
        (b"GET http://example.com/ HTTP/1.1\r\nHost: 127.0.0.1\r\n\r\n", "example.com:80"),
        (b"GET HTTP://Example.COM:8080?x HTTP/1.1\r\n\r\n", "example.com:8080"),
        (b"CONNECT 127.0.0.1:1 HTTP/1.1\r\n\r\n", "127.0.0.1:1"),
        (b"CONNECT [::1]:1 HTTP/1.1\r\n\r\n", "[::1]:1"),
        (b"POST http://example.com/ HTTP/1.1\r\nContent-Length: 9\r\n\r\n", "example.com:80"),
    ],
)
def test_a_denied_request_is_told_so_and_how_to_allow_it(
    place: Supervisor, request_head: bytes, denied: str
) -> None:
    head, _, body = place.ask(request_head).partition(b"\r\n\r\n")
    assert head.startswith(b"HTTP/1.1 403 Forbidden by --allow-net of py-executor\r\n")
    assert f"--allow-net={denied}\n".encode() in body
    assert place.denial() == {"denied": denied, "reason": "it is not in --allow-net"}


def test_a_denial_reaches_a_client_that_is_still_sending(place: Supervisor) -> None:
    assert place.ask(b"POST http://example.com/ HTTP/1.1\r\n\r\n" + bytes(5_000_000)).startswith(
        b"HTTP/1.1 403 "
    )


def test_a_denied_socks_request_gets_the_code_for_it(place: Supervisor) -> None:
    assert place.ask(socks_name(b"example.com", 443)) == b"\5\0\5\2\0\1\0\0\0\0\0\0"
    assert place.denial()["denied"] == "example.com:443"


def test_when_the_run_knows_of_a_denial_its_supervisor_can(place: Supervisor) -> None:
    for port in range(1, 11):
        place.ask(f"CONNECT example.com:{port} HTTP/1.1\r\n\r\n".encode())
        place.connection.setblocking(False)
        assert f'"example.com:{port}"'.encode() in place.connection.recv(4096)


def test_an_allowed_name_that_resolves_to_an_address_that_is_not_public_is_denied(
    server: OneServer,
) -> None:
    name = socket.gethostname().lower()
    try:
        addresses = {entry[4][0] for entry in socket.getaddrinfo(name, 80)}
    except OSError:
        addresses = set[str]()
    if not any(
        str(address).startswith(("127.", "10.", "172.", "192.168.")) for address in addresses
    ):
        pytest.skip("missing: a host name that resolves to an address that is not public")
    for place in place_for((name, None)):
        answer = place.ask(f"CONNECT {name}:{server.port} HTTP/1.1\r\n\r\n".encode())
        assert answer.startswith(b"HTTP/1.1 403 ")
        assert "it resolves to" in place.denial()["reason"]


def test_denials_are_told_once_a_target_and_twenty_times_a_run(place: Supervisor) -> None:
    for port in range(1, 31):
        for _ in range(2):
            place.ask(f"CONNECT example.com:{port} HTTP/1.1\r\n\r\n".encode())
    place.next_run()
    time.sleep(0.2)
    place.ask(b"CONNECT example.com:1 HTTP/1.1\r\n\r\n")
    heard = [place.denial()["denied"] for _ in range(21)]
    assert heard == [f"example.com:{port}" for port in (*range(1, 21), 1)]


def test_a_denial_is_told_to_its_own_place_only(proxy: ProxyProcess, place: Supervisor) -> None:
    other = Supervisor(proxy)
    other.ask(b"CONNECT other.example:1 HTTP/1.1\r\n\r\n")
    place.ask(b"CONNECT this.example:1 HTTP/1.1\r\n\r\n")
    assert place.denial()["denied"] == "this.example:1"
    assert other.denial()["denied"] == "other.example:1"
    other.close()


# Runs, places and the process


def test_what_a_run_left_is_not_told_of_in_the_next_one(place: Supervisor) -> None:
    with place.client() as left:
        left.sendall(b"CONNECT left.example:1 HTTP/1.1\r\n")
        time.sleep(0.2)
        place.next_run()
        time.sleep(0.2)
        left.sendall(b"\r\n")
        assert read_head(left).startswith(b"HTTP/1.1 403 ")
    place.ask(b"CONNECT next.example:1 HTTP/1.1\r\n\r\n")
    assert place.denial()["denied"] == "next.example:1"


def test_when_the_supervisor_is_gone_its_listener_and_connections_are_too(
    place: Supervisor, server: OneServer
) -> None:
    with place.tunnel("127.0.0.1", server.port) as client, place.client() as silent:
        time.sleep(0.2)
        for connection in (client, silent):
            connection.settimeout(PATIENCE / 2)  # less than they would have had otherwise
        place.connection.shutdown(socket.SHUT_RDWR)
        assert client.recv(1) == b""
        assert silent.recv(1) == b""
    with pytest.raises(OSError):
        place.client()


def test_more_connections_than_the_limit_wait_for_their_turn(
    place: Supervisor, server: OneServer
) -> None:
    clients = [place.tunnel("127.0.0.1", server.port) for _ in range(64)]
    with place.client() as waiting:
        waiting.sendall(b"CONNECT example.com:1 HTTP/1.1\r\n\r\n")
        waiting.settimeout(0.5)
        with pytest.raises(TimeoutError if sys.version_info >= (3, 10) else socket.timeout):
            waiting.recv(1)
        clients.pop().close()
        waiting.settimeout(PATIENCE)
        assert read_head(waiting).startswith(b"HTTP/1.1 403 ")
    for client in clients:
        client.close()


@pytest.mark.parametrize("kind", ["nothing", "pipe", "udp", "not listening", "unix", "any address"])
def test_what_is_no_listener_on_loopback_is_not_served(
    proxy: ProxyProcess, place: Supervisor, kind: str
) -> None:
    supervisor = proxy.connect()
    if kind == "nothing":
        supervisor.sendall(b"L")
    elif kind == "pipe":
        reading, writing = os.pipe()
        socket.send_fds(supervisor, [b"L"], [writing])
        os.close(reading)
        os.close(writing)
    else:
        family = socket.AF_UNIX if kind == "unix" else socket.AF_INET
        with socket.socket(
            family, socket.SOCK_DGRAM if kind == "udp" else socket.SOCK_STREAM
        ) as it:
            host = "0.0.0.0" if kind == "any address" else "127.0.0.1"
            it.bind(str(proxy.folder / "u") if kind == "unix" else (host, 0))
            if kind in ("unix", "any address"):
                it.listen()
            socket.send_fds(supervisor, [b"L"], [it.fileno()])
    assert supervisor.recv(1) == b""
    supervisor.close()
    assert b" 403 " in place.ask(b"CONNECT example.com:1 HTTP/1.1\r\n\r\n")


@pytest.mark.skipif(os.getuid() != 0, reason="only root can become another user")
def test_another_user_is_not_served(proxy: ProxyProcess) -> None:
    os.chmod(proxy.folder, 0o755)
    os.chmod(proxy.socket, 0o666)
    child = os.fork()
    if not child:
        try:
            os.setuid(65534)
            supervisor = proxy.connect()
            supervisor.settimeout(PATIENCE / 2)  # less than a handshake may take
            os._exit(0 if supervisor.recv(1) == b"" else 2)
        finally:
            os._exit(1)
    assert os.waitpid(child, 0)[1] == 0


def test_it_ends_with_the_server_whatever_goes_on(server: OneServer) -> None:
    proxy = ProxyProcess(("127.0.0.1", server.port))
    there = Supervisor(proxy)
    with there.tunnel("127.0.0.1", server.port) as client, there.client():
        assert proxy.process.stdin is not None
        proxy.process.stdin.close()
        assert proxy.process.wait(PATIENCE) == 0
        try:
            assert client.recv(1) == b""
        except ConnectionResetError:
            pass
    assert not proxy.socket.exists()
    there.close()
    proxy.close()


@pytest.mark.parametrize(
    ("arguments", "status"),
    [
        ([], 2),
        (["/nowhere/s", "["], 2),
        (["/nowhere/s", '[{"host": "*"}]'], 2),
        (["/nowhere/s", "[]"], 1),
        (["/tmp/" + "s" * 200, "[]"], 1),
    ],
)
def test_what_it_cannot_start_with_is_told_in_one_line(arguments: list[str], status: int) -> None:
    outcome = subprocess.run(
        [sys.executable, "-I", "-S", "-B", BOOT, *arguments],
        check=False,
        capture_output=True,
        timeout=PATIENCE,
    )
    assert outcome.returncode == status
    assert outcome.stderr.startswith(b"py-executor proxy: ")
    assert outcome.stderr.count(b"\n") == 1
