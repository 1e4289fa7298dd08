"""Which addresses are not on the public internet, by the IANA registries for special-purpose addresses (RFC 6890).

The table is our own: what `ipaddress` holds for private differs between versions of Python.
"""

from __future__ import annotations

from ipaddress import IPv4Address, IPv6Address, IPv6Network, ip_network
from typing import Union

Address = Union[IPv4Address, IPv6Address]

METADATA = "metadata"
LOOPBACK = "loopback"
LINK_LOCAL = "link-local"
PRIVATE = "private"
SHARED = "shared (carrier-grade NAT)"
MULTICAST = "multicast"
UNSPECIFIED = "unspecified"
RESERVED = "reserved"

#: The first one that fits counts.
SPECIAL_USE = tuple(
    (ip_network(network), kind)
    for network, kind in (
        ("169.254.169.254/32", METADATA),  # AWS, Google, Azure and others
        ("168.63.129.16/32", METADATA),  # Azure's platform, at a public address
        ("100.100.100.200/32", METADATA),  # Alibaba
        ("192.0.0.192/32", METADATA),  # Oracle
        ("0.0.0.0/8", UNSPECIFIED),  # Linux takes 0.0.0.0 for this machine
        ("10.0.0.0/8", PRIVATE),
        ("100.64.0.0/10", SHARED),
        ("127.0.0.0/8", LOOPBACK),
        ("169.254.0.0/16", LINK_LOCAL),
        ("172.16.0.0/12", PRIVATE),
        ("192.0.0.0/24", RESERVED),
        ("192.0.2.0/24", RESERVED),
        ("192.88.99.0/24", RESERVED),
        ("192.168.0.0/16", PRIVATE),
        ("198.18.0.0/15", RESERVED),
        ("198.51.100.0/24", RESERVED),
        ("203.0.113.0/24", RESERVED),
        ("224.0.0.0/4", MULTICAST),
        ("240.0.0.0/4", RESERVED),  # with 255.255.255.255
        ("fd00:ec2::254/128", METADATA),  # AWS
        ("fd20:ce::254/128", METADATA),  # Google
        ("::/128", UNSPECIFIED),
        ("::1/128", LOOPBACK),
        (
            "64:ff9b:1::/48",
            PRIVATE,
        ),  # local NAT64: where the IPv4 address is in it, only the network knows
        ("fc00::/7", PRIVATE),
        ("fe80::/10", LINK_LOCAL),
        ("fec0::/10", PRIVATE),
        ("ff00::/8", MULTICAST),
        ("2001::/23", RESERVED),  # with Teredo
        ("2001:db8::/32", RESERVED),
        ("3fff::/20", RESERVED),
    )
)
NAT64 = IPv6Network("64:ff9b::/96")
#: Nothing else of IPv6 has been given out.
GLOBAL_UNICAST = IPv6Network("2000::/3")


def special_use(address: Address) -> str | None:
    """What kind of address this is, if it isn't a public one; None if it is.

    An IPv6 address that stands for an IPv4 address (IPv4-mapped, NAT64, 6to4) is what that one is. Prefixes that a
    network has chosen for a NAT64 of its own can't be known here.
    """
    for network, kind in SPECIAL_USE:
        if address in network:
            return kind
    if isinstance(address, IPv4Address):
        return None
    embedded = _embedded(address)
    if embedded is not None:
        return special_use(embedded)
    return None if address in GLOBAL_UNICAST else RESERVED


def _embedded(address: IPv6Address) -> IPv4Address | None:
    if address in NAT64:
        return IPv4Address(int(address) & 0xFFFFFFFF)
    return address.ipv4_mapped or address.sixtofour
