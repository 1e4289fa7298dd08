"""What the proxy lets runs reach: names before they are resolved, addresses after."""

from __future__ import annotations

import json
from ipaddress import ip_address

import pytest
from py_executor_runtime.proxy.addresses import special_use
from py_executor_runtime.proxy.refusal import Denied
from py_executor_runtime.proxy.rules import Rules, parse_target


def rules(*allowed: str) -> Rules:
    """Rules as they are written for `--allow-net`; without a port, for all ports."""
    entries: list[dict[str, object]] = []
    for text in allowed:
        host, _, port = text.rpartition("@")
        entries.append({"host": host or text, "port": int(port) if host else None})
    return Rules.from_json(json.dumps(entries))


def is_allowed(rules: Rules, target: str) -> bool:
    try:
        rules.check_target(parse_target(target))
    except Denied:
        return False
    return True


@pytest.mark.parametrize(
    ("rule", "target", "allowed"),
    [
        ("example.com@443", "example.com:443", True),
        ("example.com@443", "EXAMPLE.com.:443", True),
        ("EXAMPLE.COM.@443", "example.com:443", True),
        ("example.com@443", "example.com:80", False),
        ("example.com", "example.com:80", True),
        ("example.com", "www.example.com:80", False),
        ("example.com", "notexample.com:80", False),
        ("example.com", "example.com.evil.net:80", False),
        ("*.example.com", "www.example.com:80", True),
        ("*.example.com", "a.b.example.com:80", True),
        ("*.example.com", "example.com:80", False),
        ("*.example.com", "notexample.com:80", False),
        ("*.example.com@443", "www.example.com:80", False),
        ("192.0.2.1", "192.0.2.1:80", True),
        ("192.0.2.1", "192.0.2.2:80", False),
        ("192.0.2.1", "[::ffff:192.0.2.1]:80", True),
        ("::ffff:192.0.2.1", "192.0.2.1:80", True),
        ("2001:db8::1", "[2001:DB8:0::0001]:80", True),
        ("2001:db8::1", "[2001:db8::2]:80", False),
        ("localhost", "127.0.0.1:80", False),
        ("localhost", "www.localhost:80", False),
        ("example_1.com", "example_1.com:80", True),
    ],
)
def test_a_rule_fits_what_it_names(rule: str, target: str, allowed: bool) -> None:
    assert is_allowed(rules(rule), target) is allowed


def test_without_rules_nothing_is_allowed() -> None:
    assert not is_allowed(rules(), "example.com:443")


@pytest.mark.parametrize(
    "text",
    [
        "",
        ":80",
        "example.com",
        "example.com:",
        "example.com:0",
        "example.com:65536",
        "example.com:+80",
        "example.com:8 0",
        "example.com:٨٠",
        "example..com:80",
        ".example.com:80",
        "exa mple.com:80",
        "user@example.com:80",
        "example.com/x:80",
        "éxample.com:80",
        "\u212aelvin.com:80",
        "x" * 64 + ".com:80",
        "x." * 127 + "com:80",
        "*.example.com:80",
        "127.1:80",
        "2130706433:80",
        "0x7f000001:80",
        "0x7f.1:80",
        "1.2.3.4.5:80",
        "example.1:80",
        "::1:80",
        "[::1",
        "[::1]",
        "[::1]80",
        "[127.0.0.1]:80",
        "[example.com]:80",
        "[fe80::1%1]:80",
        "[]:80",
    ],
)
def test_what_is_no_host_and_port_is_refused(text: str) -> None:
    with pytest.raises(ValueError):
        parse_target(text)


@pytest.mark.parametrize(
    "text",
    [
        "",
        "{}",
        "[1]",
        '[{"port": 80}]',
        '[{"host": 1}]',
        '[{"host": "a", "port": "80"}]',
        '[{"host": "a", "port": true}]',
        '[{"host": "a", "port": 0}]',
        '[{"host": "*"}]',
        '[{"host": "*."}]',
        '[{"host": "a.*.com"}]',
        '[{"host": "*.0.0.1"}]',
        '[{"host": "*.127.0.0.1"}]',
        '[{"host": "127.1"}]',
        '[{"host": "https://example.com"}]',
        '[{"host": "example.com:443"}]',
        '[{"host": "10.0.0.0/8"}]',
    ],
)
def test_rules_that_make_no_sense_are_refused(text: str) -> None:
    with pytest.raises(ValueError) as caught:
        Rules.from_json(text)
    assert "\n" not in str(caught.value)


@pytest.mark.parametrize(
    ("address", "kind"),
    [
        ("0.0.0.0", "unspecified"),
        ("0.1.2.3", "unspecified"),
        ("10.0.0.0", "private"),
        ("10.255.255.255", "private"),
        ("11.0.0.0", None),
        ("100.63.255.255", None),
        ("100.64.0.0", "shared"),
        ("100.100.100.200", "metadata"),
        ("100.127.255.255", "shared"),
        ("100.128.0.0", None),
        ("127.0.0.1", "loopback"),
        ("127.255.255.255", "loopback"),
        ("168.63.129.16", "metadata"),
        ("169.253.255.255", None),
        ("169.254.0.1", "link-local"),
        ("169.254.169.254", "metadata"),
        ("172.15.255.255", None),
        ("172.16.0.0", "private"),
        ("172.31.255.255", "private"),
        ("172.32.0.0", None),
        ("192.0.0.192", "metadata"),
        ("192.0.2.1", "reserved"),
        ("192.168.0.1", "private"),
        ("198.19.255.255", "reserved"),
        ("203.0.113.1", "reserved"),
        ("223.255.255.255", None),
        ("224.0.0.1", "multicast"),
        ("240.0.0.1", "reserved"),
        ("255.255.255.255", "reserved"),
        ("8.8.8.8", None),
        ("::", "unspecified"),
        ("::1", "loopback"),
        ("::7f00:1", "reserved"),  # IPv4-compatible
        ("::ffff:127.0.0.1", "loopback"),
        ("::ffff:169.254.169.254", "metadata"),
        ("::ffff:8.8.8.8", None),
        ("::ffff:0:127.0.0.1", "reserved"),  # SIIT
        ("64:ff9b::10.0.0.1", "private"),
        ("64:ff9b::8.8.8.8", None),
        ("64:ff9b:1::8.8.8.8", "private"),
        ("100::1", "reserved"),
        ("2001::1", "reserved"),  # Teredo
        ("2001:db8::1", "reserved"),
        ("2001:4860:4860::8888", None),
        ("2002:7f00:1::", "loopback"),
        ("2002:c0a8:101::1", "private"),
        ("2002:a9fe:a9fe::", "metadata"),
        ("2002:808:808::1", None),
        ("2606:4700::1111", None),
        ("3fff::1", "reserved"),
        ("4000::1", "reserved"),
        ("fc00::1", "private"),
        ("fd00:ec2::254", "metadata"),
        ("fdff::1", "private"),
        ("fe80::1", "link-local"),
        ("fec0::1", "private"),
        ("ff02::1", "multicast"),
    ],
)
def test_addresses_that_are_not_public_are_known(address: str, kind: str | None) -> None:
    found = special_use(ip_address(address))
    assert (found and found.split()[0]) == kind


def test_of_the_addresses_of_a_name_the_public_ones_are_used() -> None:
    resolved = [ip_address("10.0.0.1"), ip_address("8.8.8.8"), ip_address("2606:4700::1111")]
    usable = rules("example.com").usable(parse_target("example.com:443"), resolved)
    assert usable == resolved[1:]


@pytest.mark.parametrize(
    "address", ["127.0.0.1", "10.0.0.1", "169.254.169.254", "::1", "::ffff:10.0.0.1", "fd00::1"]
)
def test_an_allowed_name_does_not_open_an_address_that_is_not_public(address: str) -> None:
    with pytest.raises(Denied) as caught:
        rules("example.com", "*.com").usable(parse_target("example.com:443"), [ip_address(address)])
    assert "does not name that address" in caught.value.reason
    assert caught.value.target == "example.com:443"


def test_an_address_that_is_not_public_is_opened_by_a_rule_that_names_it() -> None:
    address = ip_address("10.0.0.1")
    target = parse_target("db.example.com:5432")
    assert rules("db.example.com", "10.0.0.1@5432").usable(target, [address]) == [address]
    with pytest.raises(Denied, match=r"--allow-net=10\.0\.0\.1:5432"):
        rules("db.example.com", "10.0.0.1@5433").usable(target, [address])


def test_localhost_by_name_is_loopback_and_nothing_else() -> None:
    target = parse_target("localhost:80")
    both = [ip_address("::1"), ip_address("127.0.0.1")]
    assert rules("localhost").usable(target, both) == both
    with pytest.raises(Denied):
        rules("localhost").usable(target, [ip_address("10.0.0.1")])
    with pytest.raises(Denied):
        rules("*.localhost").usable(parse_target("a.localhost:80"), both)


def test_a_denial_says_what_was_denied_and_what_would_allow_it() -> None:
    with pytest.raises(Denied) as caught:
        rules().check_target(parse_target("[2001:db8::1]:80"))
    assert str(caught.value) == (
        "The connection to [2001:db8::1]:80 was denied, since it is not in --allow-net. "
        "The operator of py-executor can allow it with --allow-net=[2001:db8::1]:80"
    )
