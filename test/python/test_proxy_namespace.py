"""The proxy serves a network namespace that has no other way out."""

from __future__ import annotations

import json
import subprocess
import sys
from typing import TYPE_CHECKING

import pytest
from proxy_process import OneServer, ProxyProcess, read_head

if TYPE_CHECKING:
    import socket

#: What a place does, and then what its runs could: all of it in a namespace of its own.
INSIDE = """
import ctypes, fcntl, http.client, json, os, socket, struct, sys

CLONE_NEWUSER, CLONE_NEWNET = 0x10000000, 0x40000000
SIOCSIFFLAGS, IFF_UP = 0x8914, 1
library = ctypes.CDLL(None, use_errno=True)
if library.unshare(CLONE_NEWUSER | CLONE_NEWNET):
    print(json.dumps({"missing": os.strerror(ctypes.get_errno())}))
    sys.exit()
with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as any_socket:
    fcntl.ioctl(any_socket, SIOCSIFFLAGS, struct.pack("16sh14x", b"lo", IFF_UP))

path, port = sys.argv[1], int(sys.argv[2])
supervisor = socket.socket(socket.AF_UNIX)
supervisor.connect(path)
with socket.create_server(("127.0.0.1", 0)) as listener:
    proxy_port = listener.getsockname()[1]
    socket.send_fds(supervisor, [b"L"], [listener.fileno()])

def attempt(connect):
    try:
        connect().close()
        return "connected"
    except OSError as problem:
        return type(problem).__name__

def ask(url):
    client = http.client.HTTPConnection("127.0.0.1", proxy_port, timeout=10)
    client.request("GET", url)
    answer = client.getresponse()
    return [answer.status, answer.read().decode()]

print(json.dumps({
    "direct": attempt(lambda: socket.create_connection(("127.0.0.1", port), 5)),
    "outside": attempt(lambda: socket.create_connection(("192.0.2.1", 80), 5)),
    "allowed": ask(f"http://127.0.0.1:{port}/"),
    "denied": ask("http://example.com/"),
    "told": json.loads(supervisor.recv(4096)),
}))
"""


def greet(connection: socket.socket) -> None:
    read_head(connection)
    connection.sendall(b"HTTP/1.1 200 OK\r\n\r\nfrom outside")


def test_runs_without_a_route_reach_what_is_allowed_and_nothing_else() -> None:
    server = OneServer(greet)
    proxy = ProxyProcess(("127.0.0.1", server.port))
    outcome = subprocess.run(
        [sys.executable, "-I", "-c", INSIDE, proxy.socket, str(server.port)],
        check=False,
        capture_output=True,
        text=True,
        timeout=60,
    )
    proxy.close()
    server.close()
    assert outcome.stderr == ""
    seen = json.loads(outcome.stdout)
    if "missing" in seen:
        pytest.skip(f"missing: user and network namespaces ({seen['missing']})")
    assert seen["direct"] == "ConnectionRefusedError"
    assert seen["outside"] == "OSError"  # no route
    assert seen["allowed"] == [200, "from outside"]
    assert seen["denied"][0] == 403
    assert seen["told"] == {"denied": "example.com:80", "reason": "it is not in --allow-net"}
