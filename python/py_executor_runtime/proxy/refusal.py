"""Why a connection isn't made. Each protocol has its own way of saying it."""

from __future__ import annotations


class Refusal(Exception):
    """No connection; the text is for whoever asked for it."""

    #: Replies: the status of HTTP (RFC 9110, 15) and the code of SOCKS (RFC 1928, 6).
    http = "502 Bad Gateway"
    socks = 1


class Malformed(Refusal):
    """The request can't be understood."""

    http = "400 Bad Request"


class TooLarge(Refusal):
    """The head of the request has more than we read of one."""

    http = "431 Request Header Fields Too Large"


class Unsupported(Refusal):
    """SOCKS 5 has more commands than CONNECT."""

    socks = 7


class UnsupportedAddress(Refusal):
    """A kind of address that SOCKS 5 doesn't have."""

    socks = 8


class Unreachable(Refusal):
    """The name has no address, or none of them answers."""

    socks = 4


class ConnectionRefused(Refusal):
    """Nobody listens there."""

    socks = 5


class TimedOut(Refusal):
    """No answer in time."""

    http = "504 Gateway Timeout"
    socks = 4


class Denied(Refusal):
    """The operator doesn't allow it.

    Attributes:
        target: `host:port`; consists of printable ASCII.
        reason: ends the sentence "was denied, since …".
    """

    # Clients often show this line and not the text: "Tunnel connection failed: 403 …".
    http = "403 Forbidden by --allow-net of py-executor"
    socks = 2

    def __init__(self, target: str, reason: str, remedy: str) -> None:
        """Words the refusal; `remedy` is the value for the option."""
        super().__init__(
            f"The connection to {target} was denied, since {reason}. "
            f"The operator of py-executor can allow it with --allow-net={remedy}"
        )
        self.target = target
        self.reason = reason
