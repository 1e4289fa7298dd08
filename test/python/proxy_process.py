"""The proxy as a process, and the servers and clients around it, for its tests."""

from __future__ import annotations

import json
import shutil
import socket
import subprocess
import sys
import tempfile
import threading
from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

BOOT = Path(__file__).parents[2] / "python/py_executor_runtime/proxy/boot.py"
PATIENCE = 10


class ProxyProcess:
    """A proxy that allows what is listed: `(host, port)`, None for any port."""

    def __init__(self, *allowed: tuple[str, int | None]) -> None:
        self.folder = Path(tempfile.mkdtemp(prefix="proxy-"))  # short: it becomes a socket's name
        self.socket = self.folder / "s"
        rules = json.dumps([{"host": host, "port": port} for host, port in allowed])
        self.process = subprocess.Popen(
            [sys.executable, "-I", "-S", "-B", BOOT, self.socket, rules],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
        )
        assert self.process.stdout is not None
        assert self.process.stdout.readline() == b"ready\n"

    def close(self) -> None:
        """Ends it as the server does; it must have had nothing to complain about."""
        assert self.process.stdin is not None
        assert self.process.stderr is not None
        with self.process:
            try:
                self.process.stdin.close()
                assert self.process.wait(PATIENCE) == 0
                assert self.process.stderr.read() == b""
            finally:
                self.process.kill()
                shutil.rmtree(self.folder)

    def connect(self) -> socket.socket:
        supervisor = socket.socket(socket.AF_UNIX)
        supervisor.settimeout(PATIENCE)
        supervisor.connect(str(self.socket))
        return supervisor


class Supervisor:
    """What a place does: it hands over a listener and hears of denials."""

    def __init__(self, proxy: ProxyProcess) -> None:
        self.connection = proxy.connect()
        self._listener = socket.create_server(("127.0.0.1", 0))
        self.port: int = self._listener.getsockname()[1]
        socket.send_fds(self.connection, [b"L"], [self._listener.fileno()])
        self._lines = self.connection.makefile("r", encoding="ascii")

    def next_run(self) -> None:
        self.connection.sendall(b"N")

    def denial(self) -> dict[str, str]:
        """The next one."""
        return json.loads(self._lines.readline())

    def ended(self) -> bool:
        """Whether the proxy has closed the connection, and said nothing more."""
        return self._lines.readline() == ""

    def close(self) -> None:
        self._lines.close()
        self.connection.close()
        self._listener.close()

    def client(self) -> socket.socket:
        """A connection of a run."""
        return socket.create_connection(("127.0.0.1", self.port), timeout=PATIENCE)

    def ask(self, request: bytes) -> bytes:
        """Sends it and returns all that comes back."""
        with self.client() as client:
            client.sendall(request)
            return read_all(client)

    def tunnel(self, host: str, port: int) -> socket.socket:
        """A connection that is already through to the server."""
        client = self.client()
        client.sendall(f"CONNECT {host}:{port} HTTP/1.1\r\n\r\n".encode())
        expected = b"HTTP/1.1 200 Connection established\r\n\r\n"
        assert read_exactly(client, len(expected)) == expected
        return client


class OneServer:
    """A TCP server on the loopback of the machine; each connection is given to the function, in a thread."""

    def __init__(self, serve: Callable[[socket.socket], None], host: str = "127.0.0.1") -> None:
        family = socket.AF_INET6 if ":" in host else socket.AF_INET
        self._listener = socket.create_server((host, 0), family=family)
        self.port: int = self._listener.getsockname()[1]
        self._serve = serve
        threading.Thread(target=self._accept, daemon=True).start()

    def close(self) -> None:
        self._listener.shutdown(socket.SHUT_RDWR)
        self._listener.close()

    def _accept(self) -> None:
        while True:
            try:
                connection, _ = self._listener.accept()
            except OSError:
                return
            threading.Thread(target=self._run, args=(connection,), daemon=True).start()

    def _run(self, connection: socket.socket) -> None:
        with connection:
            connection.settimeout(PATIENCE)
            try:
                self._serve(connection)
            except OSError:
                pass


def echo(connection: socket.socket) -> None:
    """Sends back what comes, until it ends."""
    while data := connection.recv(65536):
        connection.sendall(data)


def read_exactly(connection: socket.socket, size: int) -> bytes:
    data = b""
    while len(data) < size:
        part = connection.recv(size - len(data))
        assert part, f"ended after {data!r}"
        data += part
    return data


def read_all(connection: socket.socket) -> bytes:
    data = b""
    while part := connection.recv(65536):
        data += part
    return data


def read_head(connection: socket.socket) -> bytes:
    """The head of a request or an answer."""
    data = b""
    while not data.endswith(b"\r\n\r\n"):
        data += read_exactly(connection, 1)
    return data


def socks(kind: int, address: bytes, port: int, command: int = 1) -> bytes:
    """All that a client of SOCKS 5 says before it knows that it is through."""
    return bytes((5, 1, 0, 5, command, 0, kind)) + address + port.to_bytes(2, "big")


def socks_name(name: bytes, port: int) -> bytes:
    """The same for a name."""
    return socks(3, bytes((len(name),)) + name, port)


def place_for(*allowed: tuple[str, int | None]) -> Iterator[Supervisor]:
    proxy = ProxyProcess(*allowed)
    place = Supervisor(proxy)
    yield place
    place.close()
    proxy.close()
