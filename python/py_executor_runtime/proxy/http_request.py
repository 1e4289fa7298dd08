"""The proxy's side of HTTP/1.1 (RFC 9112): CONNECT for tunnels, and requests in absolute form for plain HTTP.

A connection carries one request. The body and what is answered pass unread, so both heads say `Connection: close`.
"""

from __future__ import annotations

import re
from asyncio import IncompleteReadError, LimitOverrunError, StreamReader
from typing import NamedTuple

from .refusal import Malformed, Refusal, TooLarge
from .rules import Target, parse_target

END = b"\r\n\r\n"
TUNNEL_OPEN = b"HTTP/1.1 200 Connection established\r\n\r\n"
#: Of one connection only, and so not passed on (RFC 9110, 7.6.1).
HOP_BY_HOP = {"connection", "keep-alive", "te", "upgrade"}
#: How long the body is; it passes as it is, so these do, even if Connection names them.
FRAMING = {"content-length", "transfer-encoding"}
_REQUEST_LINE = re.compile(r"([!#$%&'*+.^_`|~0-9A-Za-z-]+) ([!-~]+) (HTTP/1\.[01])")
_FIELD = re.compile(r"([!#$%&'*+.^_`|~0-9A-Za-z-]+):[ \t]*([^\r\n\0]*)")
_STATUS_LINE = re.compile(r"HTTP/1\.[01] [0-9]{3}(?: [^\r\n\0]*)?")


class HttpRequest(NamedTuple):
    """What was asked for.

    Attributes:
        target: where to.
        head: the head as it goes to that server; empty for a tunnel.
    """

    target: Target
    head: bytes


async def read_request(reader: StreamReader, first: bytes) -> HttpRequest:
    """Reads the head of a request whose first byte has been read already.

    Raises:
        Refusal: it isn't one that we serve.
        IncompleteReadError: the client left.
    """
    try:
        head = first + await reader.readuntil(END)
    except LimitOverrunError:
        raise TooLarge("The head of the request is too large for the proxy") from None
    # each byte a character: values of fields may be in any encoding
    lines = head[: -len(END)].decode("latin-1").split("\r\n")
    request = _REQUEST_LINE.fullmatch(lines[0])
    if request is None:
        raise Malformed("The proxy does not understand the request line")
    method, uri, version = request.groups()
    fields = _parse_fields(lines[1:])
    if fields is None:
        raise Malformed("The proxy does not understand a header field of the request")
    if method == "CONNECT":
        return HttpRequest(_target(uri), b"")
    authority, path = _split_uri(uri)
    if not path.startswith("/"):
        path = "*" if method == "OPTIONS" and not path else f"/{path}"
    others = [line for line in _end_to_end(fields) if not line.lower().startswith("host:")]
    head = [f"{method} {path} {version}", f"Host: {authority}", *others, "Connection: close"]
    return HttpRequest(_target(authority, 80), _join(head))


async def read_response_head(reader: StreamReader) -> tuple[bytes, bool]:
    """Reads the head of an answer.

    Returns:
        What to pass on, and whether it is the answer itself (and not a `100 Continue` or the like before it).

    Raises:
        Refusal: the server speaks something else.
    """
    try:
        head = await reader.readuntil(END)
    except (LimitOverrunError, IncompleteReadError):
        raise Refusal("The server did not answer in HTTP/1.1, or with too large a head") from None
    lines = head[: -len(END)].decode("latin-1").split("\r\n")
    fields = _parse_fields(lines[1:])
    if fields is None or not _STATUS_LINE.fullmatch(lines[0]):
        raise Refusal("The server did not answer in HTTP/1.1")
    if lines[0][9] == "1":
        return _join([lines[0], *_end_to_end(fields)]), False
    return _join([lines[0], *_end_to_end(fields), "Connection: close"]), True


def refuse(refusal: Refusal) -> bytes:
    """The answer that tells of it."""
    body = f"{refusal}\n".encode("ascii", "replace")
    head = [
        f"HTTP/1.1 {refusal.http}",
        "Content-Type: text/plain; charset=utf-8",
        f"Content-Length: {len(body)}",
        "Connection: close",
    ]
    return _join(head) + body


def _target(authority: str, default_port: int | None = None) -> Target:
    try:
        return parse_target(authority, default_port)
    except ValueError as problem:
        raise Malformed(f"The proxy does not understand the host or the port: {problem}") from None


def _split_uri(uri: str) -> tuple[str, str]:
    """Authority, and the rest from the slash or question mark on."""
    if uri[:7].lower() != "http://":
        raise Malformed("The proxy serves CONNECT host:port and http:// only")
    authority = re.split("[/?#]", uri[7:], maxsplit=1)[0]
    path = uri[7 + len(authority) :]
    if "@" in authority or "#" in path:
        raise Malformed("The proxy takes no user name and no fragment in an address")
    return authority, path


def _parse_fields(lines: list[str]) -> list[tuple[str, str]] | None:
    matches = [_FIELD.fullmatch(line) for line in lines]
    return [(match[1], match[2]) for match in matches if match] if all(matches) else None


def _end_to_end(fields: list[tuple[str, str]]) -> list[str]:
    """The fields that are not for the proxy itself."""
    dropped = set(HOP_BY_HOP)
    for name, value in fields:
        if name.lower() == "connection":
            dropped.update(option.strip().lower() for option in value.split(","))
    dropped -= FRAMING
    return [
        f"{name}: {value}"
        for name, value in fields
        if name.lower() not in dropped and not name.lower().startswith("proxy-")
    ]


def _join(lines: list[str]) -> bytes:
    return "\r\n".join(lines).encode("latin-1") + END
