"""Connecting to what is allowed: look up the name, check its addresses, connect to one that was checked."""

from __future__ import annotations

import asyncio
import errno
import socket
from ipaddress import ip_address
from typing import TYPE_CHECKING

from .limits import CONNECT_ALL_SECONDS, CONNECT_SECONDS, MAX_RESPONSE_HEAD_BYTES
from .refusal import ConnectionRefused, Refusal, TimedOut, Unreachable

if TYPE_CHECKING:
    from .addresses import Address
    from .rules import Rules, Target


async def connect(
    target: Target, rules: Rules
) -> tuple[asyncio.StreamReader, asyncio.StreamWriter]:
    """Connects to a target if the rules allow it.

    Raises:
        Denied: they don't.
        Refusal: it can't be reached.
    """
    rules.check_target(target)  # before the look-up: names carry data, too
    try:
        return await asyncio.wait_for(_connect(target, rules), CONNECT_ALL_SECONDS)
    except asyncio.TimeoutError:
        raise TimedOut(f"{target} did not answer") from None


async def _connect(
    target: Target, rules: Rules
) -> tuple[asyncio.StreamReader, asyncio.StreamWriter]:
    addresses = rules.usable(target, await _resolve(target))
    refusal: Refusal = Unreachable(f"{target} has no address")
    for address in addresses:
        try:
            # an address is not looked up again, so it is the one that was checked
            return await asyncio.wait_for(
                asyncio.open_connection(str(address), target.port, limit=MAX_RESPONSE_HEAD_BYTES),
                CONNECT_SECONDS,
            )
        except asyncio.TimeoutError:
            refusal = TimedOut(f"{target} did not answer")
        except OSError as problem:
            if problem.errno == errno.ECONNREFUSED:
                refusal = ConnectionRefused(f"{target} refused the connection")
            else:
                refusal = Unreachable(f"{target} can not be reached")
    raise refusal


async def _resolve(target: Target) -> list[Address]:
    if not isinstance(target.host, str):
        return [target.host]
    try:
        found = await asyncio.get_running_loop().getaddrinfo(
            target.host, target.port, type=socket.SOCK_STREAM
        )
    except (OSError, UnicodeError):
        raise Unreachable(f"The name of {target} can not be resolved") from None
    # a link-local address may come with its zone
    texts = dict.fromkeys(str(entry[4][0]).partition("%")[0] for entry in found)
    return [ip_address(text) for text in texts]
