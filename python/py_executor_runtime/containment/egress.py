"""The one way out of a network namespace: a listener on its loopback whose connections the proxy outside accepts."""

from __future__ import annotations

import array
import os

TYPE_CHECKING = False  # typing itself takes longer to import than a run takes
if TYPE_CHECKING:
    from typing import Any

_socket: Any = __import__("_socket")
_BACKLOG = 64


class Egress:
    """A place's connection to the proxy; see `proxy.place` for its other end."""

    def __init__(self, path: str, direct: list[str]) -> None:
        """Hands the proxy, which listens at a path, a listener in this network namespace.

        Raises:
            OSError: there is no proxy.
        """
        self._direct = ",".join(direct)
        listener = _socket.socket(_socket.AF_INET, _socket.SOCK_STREAM)
        listener.bind(("127.0.0.1", 0))
        listener.listen(_BACKLOG)
        self._address = f"http://127.0.0.1:{listener.getsockname()[1]}"
        self._connection = _socket.socket(_socket.AF_UNIX, _socket.SOCK_STREAM)
        self._connection.connect(path)
        descriptors = array.array("i", [listener.fileno()])
        self._connection.sendmsg([b"L"], [(_socket.SOL_SOCKET, _socket.SCM_RIGHTS, descriptors)])
        listener.close()
        self._connection.setblocking(False)

    def enter_run(self) -> None:
        """In a run: lets go of the connection, and tells programs of the proxy by the usual variables."""
        self._connection.close()
        for name in ("HTTP_PROXY", "HTTPS_PROXY"):
            os.environ[name] = os.environ[name.lower()] = self._address
        os.environ["NO_PROXY"] = os.environ["no_proxy"] = self._direct

    def denied(self) -> list[str]:
        """What the proxy has denied the run that is over, as host:port; the next run begins with a clean slate."""
        import json

        parts: list[bytes] = []
        try:
            while part := self._connection.recv(65536):
                parts.append(part)
        except BlockingIOError:
            pass
        except OSError:
            return []
        try:
            self._connection.send(b"N")
        except OSError:
            pass
        return [str(json.loads(line)["denied"]) for line in b"".join(parts).splitlines()]
