"""What the tests of the proxy share: a server behind it, the proxy, and a place whose runs it lets out."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest
from proxy_process import OneServer, ProxyProcess, Supervisor, echo

if TYPE_CHECKING:
    from collections.abc import Iterator


@pytest.fixture
def server() -> Iterator[OneServer]:
    server = OneServer(echo)
    yield server
    server.close()


@pytest.fixture
def proxy(server: OneServer) -> Iterator[ProxyProcess]:
    proxy = ProxyProcess(("127.0.0.1", server.port))
    yield proxy
    proxy.close()


@pytest.fixture
def place(proxy: ProxyProcess) -> Iterator[Supervisor]:
    place = Supervisor(proxy)
    yield place
    place.close()
