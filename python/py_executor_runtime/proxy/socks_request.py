"""The proxy's side of SOCKS 5 (RFC 1928): no authentication, and CONNECT only."""

from __future__ import annotations

from asyncio import StreamReader, StreamWriter
from ipaddress import ip_address

from .refusal import Malformed, Refusal, Unsupported, UnsupportedAddress
from .rules import Target, parse_host

VERSION = 5
NO_AUTHENTICATION = 0
NO_ACCEPTABLE_METHOD = 0xFF
CONNECT = 1
IPV4, NAME, IPV6 = 1, 3, 4
ADDRESS_BYTES = {IPV4: 4, IPV6: 16}


async def read_request(reader: StreamReader, writer: StreamWriter) -> Target | None:
    """Shakes hands, after the first byte, which says the version, and reads the request.

    Returns:
        Where to; None if the client wants to authenticate itself, which it has been told is not needed.

    Raises:
        Refusal: it isn't a request that we serve.
        IncompleteReadError: the client left.
    """
    methods = await reader.readexactly((await reader.readexactly(1))[0])
    if NO_AUTHENTICATION not in methods:
        writer.write(bytes((VERSION, NO_ACCEPTABLE_METHOD)))
        return None
    writer.write(bytes((VERSION, NO_AUTHENTICATION)))
    version, command, _, kind = await reader.readexactly(4)
    if version != VERSION:
        raise Malformed("Not SOCKS 5")
    if kind == NAME:
        host = await reader.readexactly((await reader.readexactly(1))[0])
    elif kind in ADDRESS_BYTES:
        host = await reader.readexactly(ADDRESS_BYTES[kind])
    else:
        raise UnsupportedAddress(f"No such kind of address: {kind}")
    port = int.from_bytes(await reader.readexactly(2), "big")
    if command != CONNECT:
        raise Unsupported(f"Not CONNECT: {command}")
    try:
        name = host.decode("ascii") if kind == NAME else str(ip_address(host))
        parsed = parse_host(name)
    except ValueError:
        raise Malformed("Not a host name or address") from None
    if port == 0:
        raise Malformed("Not a port")
    return Target(parsed, port)


def granted() -> bytes:
    """The answer before a tunnel begins. Where it starts from is nothing that clients use."""
    return _reply(0)


def refuse(refusal: Refusal) -> bytes:
    """The answer that tells of it, as a code: there is no room for a text."""
    return _reply(refusal.socks)


def _reply(code: int) -> bytes:
    return bytes((VERSION, code, 0, IPV4, 0, 0, 0, 0, 0, 0))
