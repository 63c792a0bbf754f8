"""The table of addresses that must not be reached, against what is written down about them."""

import ipaddress
import random

import pytest

from leasehold.fetching.addresses import read_address, why_refused
from leasehold.fetching.rules import FetchRules

_GLOBAL = [
    "1.1.1.1", "8.8.8.8", "9.255.255.255", "11.0.0.0", "100.63.255.255", "100.128.0.0",
    "126.255.255.255", "128.0.0.0", "168.63.129.15", "168.63.129.17", "169.253.255.255",
    "169.255.0.0", "172.15.255.255", "172.32.0.0", "191.255.255.255", "192.0.1.0", "192.0.3.0",
    "192.167.255.255", "192.169.0.0", "198.17.255.255", "198.20.0.0", "203.0.112.255",
    "203.0.114.0", "223.255.255.255", "2001:200::", "2001:4860:4860::8888", "2606:4700::1111",
    "2001:db7:ffff::", "2001:db9::", "2003::", "2a00:1450::", "3fff:1000::", "3ffd::1",
]  # fmt: skip
# Where `is_global` of some Python says yes, and we say no.
_STRICTER = [
    *("2002::/16", "2001::/23", "3ffe::/16", "3fff::/20", "192.88.99.0/24", "192.0.0.0/24"),
    *("224.0.0.0/4", "ff00::/8", "fec0::/10", "64:ff9b::/96", "168.63.129.16/32"),
    *("192.31.196.0/24", "192.52.193.0/24", "192.175.48.0/24", "2620:4f:8000::/48"),
    *("::/3", "4000::/2", "8000::/1"),
]  # fmt: skip


@pytest.mark.parametrize("text", _GLOBAL)
def test_the_public_internet_may_be_reached(text: str) -> None:
    assert why_refused(ipaddress.ip_address(text)) is None


def test_what_python_calls_private_is_refused_and_hardly_more() -> None:
    """Looks at the edges of every network either side knows, and at 20,000 places by chance."""
    chance = random.Random(7)
    stricter = [ipaddress.ip_network(each) for each in _STRICTER]
    for bits, kind in ((32, ipaddress.IPv4Address), (128, ipaddress.IPv6Address)):
        for _ in range(10_000):
            address = kind(chance.getrandbits(bits))
            if why_refused(address) is None:
                assert address.is_global
            elif address.is_global:
                assert any(address.version == n.version and address in n for n in stricter)


@pytest.mark.parametrize(
    "inner", ["127.0.0.1", "10.0.0.1", "169.254.169.254", "192.168.1.1", "8.8.8.8"]
)
def test_an_address_inside_of_an_address_is_refused_whatever_it_is(inner: str) -> None:
    four = int(ipaddress.IPv4Address(inner))
    high, low = divmod(four, 65_536)
    forms = [
        f"::{inner}",
        f"::ffff:{inner}",
        f"::ffff:0:{inner}",
        f"64:ff9b::{inner}",
        f"64:ff9b:1::{inner}",
        f"2002:{high:x}:{low:x}::1",
        f"2001:0:{high:x}:{low:x}::1",
        f"2001::{four ^ 0xFFFFFFFF:08x}"[:-4] + f":{(four ^ 0xFFFFFFFF) & 0xFFFF:x}",
        f"2a00:1450::5efe:{inner}",
        f"2a00:1450::200:5efe:{inner}",
        f"fe80::5efe:{inner}",
    ]
    for form in forms:
        assert why_refused(ipaddress.IPv6Address(form)), form


@pytest.mark.parametrize("text", ["fe80::1%eth0", "::1%1", "127.1", "0x7f000001", "", "localhost"])
def test_a_resolver_may_give_plain_addresses_only(text: str) -> None:
    assert read_address(text) is None


def test_rules_may_open_one_address_and_port_and_close_public_networks() -> None:
    rules = FetchRules(
        allow=("127.0.0.1:8000", "[::1]:8000", "10.2.0.0/16:443"), refuse=("93.184.0.0/16",)
    )
    asked = {
        ("127.0.0.1", 8000): True,
        ("::1", 8000): True,
        ("127.0.0.1", 80): False,
        ("127.0.0.2", 8000): False,
        ("8.8.8.8", 8000): False,  # the port is open to the allowed address only
        ("10.2.3.4", 443): True,
        ("10.3.3.4", 443): False,
        ("8.8.8.8", 443): True,
        ("93.184.216.34", 443): False,
    }
    for (text, port), may in asked.items():
        refused = rules.why_refused(ipaddress.ip_address(text), port)
        assert (refused is None) == may, (text, port, refused)
