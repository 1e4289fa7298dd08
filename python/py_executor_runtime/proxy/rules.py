"""What the operator allows: `--allow-net=HOST[:PORT],…`, applied to names before they are resolved and to addresses after."""

from __future__ import annotations

import json
import re
from ipaddress import IPv4Address, IPv6Address, ip_address
from typing import NamedTuple, Union, cast

from .addresses import LOOPBACK, Address, special_use
from .refusal import Denied

Host = Union[str, IPv4Address, IPv6Address]

LONGEST_NAME = 253  # RFC 1035, without the dot at its end
#: Underscores are no part of host names, but there are hosts that have them.
_NAME = re.compile(r"(?:[a-z0-9_-]{1,63}\.)*[a-z0-9_-]{1,63}")
#: The C library takes such names for IPv4 addresses in one of their older spellings: `127.1`, `0x7f000001`.
_ENDS_IN_NUMBER = re.compile(r"(?:.*\.)?(?:[0-9]+|0x[0-9a-f]*)")
_PORT = re.compile(r"[0-9]{1,5}")


class Target(NamedTuple):
    """Where a run wants to go; written as `host:port` or `[address]:port`."""

    host: Host
    port: int

    def __str__(self) -> str:
        host = f"[{self.host}]" if isinstance(self.host, IPv6Address) else self.host
        return f"{host}:{self.port}"


class Rule(NamedTuple):
    """One entry of the list.

    Attributes:
        host: a name, in full; with `subdomains`, the name that theirs end in.
        subdomains: written as `*.host`: at any depth, and without the host itself.
        port: None for all of them.
    """

    host: Host
    subdomains: bool
    port: int | None

    def fits(self, target: Target) -> bool:
        """Whether the target is one of those that are meant. An address is never meant by a name."""
        if self.port not in (None, target.port):
            return False
        if self.subdomains:
            return isinstance(target.host, str) and target.host.endswith(f".{self.host}")
        return self.host == target.host


class Rules:
    """The whole list."""

    def __init__(self, rules: list[Rule]) -> None:
        self._rules = rules

    @classmethod
    def from_json(cls, text: str) -> Rules:
        """Reads `[{"host": "example.com", "port": 443}, …]`.

        Raises:
            ValueError: it is something else; its text is one line.
        """
        entries: object = json.loads(text)
        if not isinstance(entries, list):
            raise ValueError("the rules must be a list")  # noqa: TRY004 - of the text
        return cls([_parse_rule(entry) for entry in cast("list[object]", entries)])

    def check_target(self, target: Target) -> None:
        """Says whether there may be an attempt at all.

        Raises:
            Denied: no rule fits the name or the address that was asked for.
        """
        if not self._names(target):
            raise Denied(str(target), "it is not in --allow-net", remedy=str(target))

    def usable(self, target: Target, resolved: list[Address]) -> list[Address]:
        """Those of the target's addresses that may be connected to: public ones, and those that a rule names as such.
        `localhost` may be a loopback address, by its own rule.

        Raises:
            Denied: there is none.
        """
        usable: list[Address] = []
        refused: Denied | None = None
        for address in map(_unmapped, resolved):
            kind = special_use(address)
            literal = Target(address, target.port)
            local = target.host == "localhost" and kind == LOOPBACK
            if kind is None or local or self._names(literal):
                usable.append(address)
            elif refused is None:
                reason = f"it resolves to {address}, a {kind} address, and --allow-net does not name that address"
                refused = Denied(str(target), reason, remedy=str(literal))
        if refused is not None and not usable:
            raise refused
        return usable

    def _names(self, target: Target) -> bool:
        return any(rule.fits(target) for rule in self._rules)


def parse_host(text: str) -> Host:
    """A name in lower case without the dot at its end, or an address; IPv6 without brackets.

    Raises:
        ValueError: it is neither. Names in other scripts have to be in the form that DNS has of them (`xn--…`).
    """
    name = text.lower().removesuffix(".")
    if not text.isascii():
        raise ValueError("not a host name or address")
    if "%" not in name:  # the zone of an IPv6 address
        try:
            return _unmapped(ip_address(name))
        except ValueError:
            pass
    if len(name) > LONGEST_NAME or not _NAME.fullmatch(name) or _ENDS_IN_NUMBER.fullmatch(name):
        raise ValueError("not a host name or address")
    return name


def parse_target(text: str, default_port: int | None = None) -> Target:
    """Reads `host:port`, or `[address]:port`; without a port, if there is a default for it.

    Raises:
        ValueError: it is something else.
    """
    host, colon, port = text.rpartition(":")
    if not colon or port.endswith("]"):
        host, port = text, ""
    if host.startswith("[") and host.endswith("]"):
        host = host[1:-1]
        if ":" not in host:
            raise ValueError("not an IPv6 address")
    elif ":" in host:
        raise ValueError("an IPv6 address needs brackets")
    number = default_port if not port else int(port) if _PORT.fullmatch(port) else None
    if number is None or not 0 < number < 65536:
        raise ValueError("not a port")
    return Target(parse_host(host), number)


def _parse_rule(entry: object) -> Rule:
    fields = cast("dict[str, object]", entry) if isinstance(entry, dict) else {}
    host, port = fields.get("host"), fields.get("port")
    if not isinstance(host, str):
        raise ValueError("a rule needs a host")  # noqa: TRY004 - of the text
    if port is not None and (type(port) is not int or not 0 < port < 65536):
        raise ValueError(f"the port of {host!a} must be a number from 1 to 65535")
    subdomains = host.startswith("*.")
    try:
        parsed = parse_host(host[2:] if subdomains else host)
    except ValueError:
        parsed = None
    if parsed is None or (subdomains and not isinstance(parsed, str)):
        raise ValueError(f"the host {host!a} must be a name, *.name or an address")
    return Rule(parsed, subdomains, port)


def _unmapped(address: Address) -> Address:
    """The IPv4 address that an IPv4-mapped address is just another spelling of."""
    mapped = address.ipv4_mapped if isinstance(address, IPv6Address) else None
    return mapped or address
