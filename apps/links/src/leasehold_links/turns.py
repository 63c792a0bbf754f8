"""Whose turn a fetch takes: the name under which requests are counted, two at a time."""

from __future__ import annotations

import hashlib
from typing import TYPE_CHECKING

from leasehold_links.settings import settings

if TYPE_CHECKING:
    from leasehold_links.model.addresses import Address

_LONGEST = 150  # of a name that a throttle takes; no host of the DNS has a longer domain


def turn_of(address: Address) -> str:
    """Return the domain of an address, or its host where each host is counted by itself."""
    return turn_named(address.host, address.domain)


def turn_named(host: str, domain: str) -> str:
    name = host if settings().per_host else domain
    if len(name) <= _LONGEST and name.isprintable():
        return name
    return f"long-{hashlib.sha256(name.encode()).hexdigest()}"  # it will not be found anyway
