"""Which addresses are part of the public internet.

A table of our own, from IANA's special-purpose registries: what `ipaddress.is_global` says differs
between patch releases of Python, and it calls some forms global that lead back into a private
network (6to4, ISATAP, a cloud's own services).
"""

from __future__ import annotations

from ipaddress import IPv4Address, IPv4Network, IPv6Address, IPv6Network, ip_address
from typing import TypeAlias

Address: TypeAlias = IPv4Address | IPv6Address
Network: TypeAlias = IPv4Network | IPv6Network

_REFUSED_V4 = {
    IPv4Network("0.0.0.0/8"): "this network",
    IPv4Network("10.0.0.0/8"): "private",
    IPv4Network("100.64.0.0/10"): "shared by carriers and clouds",
    IPv4Network("127.0.0.0/8"): "this machine",
    IPv4Network("168.63.129.16/32"): "a cloud's own service",
    IPv4Network("169.254.0.0/16"): "link-local, where clouds keep their metadata",
    IPv4Network("172.16.0.0/12"): "private",
    IPv4Network("192.0.0.0/24"): "for protocols",
    IPv4Network("192.0.2.0/24"): "for documentation",
    IPv4Network("192.31.196.0/24"): "for protocols",
    IPv4Network("192.52.193.0/24"): "for protocols",
    IPv4Network("192.88.99.0/24"): "a relay into IPv6",
    IPv4Network("192.168.0.0/16"): "private",
    IPv4Network("192.175.48.0/24"): "for protocols",
    IPv4Network("198.18.0.0/15"): "for benchmarks",
    IPv4Network("198.51.100.0/24"): "for documentation",
    IPv4Network("203.0.113.0/24"): "for documentation",
    IPv4Network("224.0.0.0/4"): "multicast",
    IPv4Network("240.0.0.0/4"): "reserved or broadcast",
}
# All of IPv6 that is in use on the internet; mapped, NAT64, local and multicast forms lie outside.
_GLOBAL_V6 = IPv6Network("2000::/3")
_REFUSED_V6 = {
    IPv6Network("2001::/23"): "for protocols and tunnels (Teredo, ORCHID, benchmarks)",
    IPv6Network("2001:db8::/32"): "for documentation",
    IPv6Network("2002::/16"): "6to4, which holds an IPv4 address",
    IPv6Network("2620:4f:8000::/48"): "for protocols",
    IPv6Network("3ffe::/16"): "the old test network",
    IPv6Network("3fff::/20"): "for documentation",
}
_OUTSIDE = {
    IPv6Network("::/96"): "unspecified, this machine, or an IPv4 address in the old form",
    IPv6Network("::ffff:0:0/96"): "an IPv4 address in IPv6 form",
    IPv6Network("::ffff:0:0:0/96"): "a translated IPv4 address",
    IPv6Network("64:ff9b::/96"): "NAT64, which holds an IPv4 address",
    IPv6Network("64:ff9b:1::/48"): "NAT64 of a local network",
    IPv6Network("100::/64"): "discarded",
    IPv6Network("fc00::/7"): "private",
    IPv6Network("fe80::/10"): "link-local",
    IPv6Network("fec0::/10"): "site-local",
    IPv6Network("ff00::/8"): "multicast",
}
# The interface identifier of ISATAP, in any prefix: 0000:5efe or 0200:5efe, then an IPv4 address.
_ISATAP = 0x5EFE
_ISATAP_MASK = 0xFDFF_FFFF


def read_address(text: str) -> Address | None:
    """Read an address as a resolver gives it; None for anything else, zone ids too."""
    try:
        return None if "%" in text else ip_address(text)
    except ValueError:
        return None


def why_refused(address: Address) -> str | None:
    """Say why an address is not part of the public internet; None when it is."""
    if isinstance(address, IPv4Address):
        return _find(address, _REFUSED_V4)
    if address not in _GLOBAL_V6:
        return _find(address, _OUTSIDE) or "not in use on the internet"
    if (int(address) >> 32) & _ISATAP_MASK == _ISATAP:
        return "ISATAP, which holds an IPv4 address"
    return _find(address, _REFUSED_V6)


def _find(address: Address, table: dict[IPv4Network, str] | dict[IPv6Network, str]) -> str | None:
    return next((why for network, why in table.items() if address in network), None)
