"""What a fetch may do: where to, how much, how long."""

from __future__ import annotations

import re
from dataclasses import dataclass, field
from functools import cached_property
from ipaddress import ip_network
from typing import TYPE_CHECKING

from leasehold.errors import BadOption
from leasehold.fetching.addresses import why_refused

if TYPE_CHECKING:
    from collections.abc import Mapping

    from leasehold.fetching.addresses import Address, Network

_MIB = 1_048_576
_ALLOWED = re.compile(r"(?:\[(?P<six>[0-9a-fA-F:./]+)\]|(?P<four>[0-9./]+)):(?P<port>[0-9]{1,5})")
_LARGEST_PORT = 65_535


@dataclass(frozen=True, kw_only=True)
class FetchRules:
    """Bounds of every fetch; the defaults fit pages and documents of strangers.

    `allow` names addresses that may be reached though they are not public, each with its port:
    "127.0.0.1:8000", "[::1]:8000", "10.2.0.0/16:443". Any name that has such an address then leads
    there, so it is for tests, demos and your own services. `refuse` names networks that are
    public, and yet none of a stranger's business: your own, or a NAT64 prefix of your own.

    `routes` leads a name, and all names below it, to a server of your own instead of looking it up:
    {"shop.test": "127.0.0.1:8000"}. Nothing else gets there, its address neither.
    """

    ports: tuple[int, ...] = (80, 443)
    allow: tuple[str, ...] = ()
    refuse: tuple[str, ...] = ()
    routes: Mapping[str, str] = field(default_factory=dict, hash=False)
    seconds: float = 30.0  # for all of it: every hop, and the body
    connect_seconds: float = 10.0  # for each address that is tried, TLS included
    idle_seconds: float = 15.0  # without a byte
    redirects: int = 5
    header_bytes: int = 65_536
    wire_bytes: int = 10 * _MIB  # of one hop, as they come: headers, framing and body
    decoded_bytes: int = 20 * _MIB
    _refused: tuple[Network, ...] = field(init=False, repr=False, compare=False)
    _allowed: tuple[tuple[Network, int], ...] = field(init=False, repr=False, compare=False)
    _routes: dict[str, tuple[Address, int]] = field(init=False, repr=False, compare=False)

    def __post_init__(self) -> None:
        for name in ("seconds", "connect_seconds", "idle_seconds"):
            if not getattr(self, name) > 0:
                raise BadOption(f"{name}: must be longer than 0")
        for name in ("header_bytes", "wire_bytes", "decoded_bytes"):
            if getattr(self, name) < 1:
                raise BadOption(f"{name}: must be at least 1")
        if self.redirects < 0 or not all(0 < port <= _LARGEST_PORT for port in self.ports):
            raise BadOption("redirects must be 0 or more, ports from 1 to 65,535")
        object.__setattr__(self, "_allowed", tuple(map(_read_allowed, self.allow)))
        object.__setattr__(self, "_refused", tuple(map(_read_network, self.refuse)))
        routes = {name.lower(): _read_route(target) for name, target in self.routes.items()}
        object.__setattr__(self, "_routes", routes)

    @cached_property
    def known_ports(self) -> frozenset[int]:
        """Ports that a URL may name; those of `allow` only together with its addresses."""
        return frozenset(self.ports) | {port for _, port in self._allowed}

    def route_of(self, host: str) -> tuple[Address, int] | None:
        """Return where a name leads by `routes`; None: it is looked up."""
        if not self._routes:
            return None
        labels = host.split(".")
        names = (".".join(labels[first:]) for first in range(len(labels)))
        return next((self._routes[name] for name in names if name in self._routes), None)

    def why_refused(self, address: Address, port: int) -> str | None:
        """Say why this address must not be reached on this port; None when it may be."""
        if any(port == each and address in network for network, each in self._allowed):
            return None
        if port not in self.ports:
            return f"port {port} is open to allowed addresses only"
        if any(address in network for network in self._refused):
            return "in a network that the rules refuse"
        return why_refused(address)


def _read_allowed(text: str) -> tuple[Network, int]:
    found = _ALLOWED.fullmatch(text)
    if found is None:
        raise BadOption(
            f"allow, routes: can't read {text!r}; write '127.0.0.1:8000' or '[::1]:8000'"
        )
    return _read_network(found["six"] or found["four"]), int(found["port"])


def _read_route(text: str) -> tuple[Address, int]:
    network, port = _read_allowed(text)
    if network.num_addresses != 1:
        raise BadOption(f"routes: {text!r} is a network; name one address")
    return network.network_address, port


def _read_network(text: str) -> Network:
    try:
        return ip_network(text)
    except ValueError as error:
        raise BadOption(f"{text!r} is no address or network: {error}") from error
