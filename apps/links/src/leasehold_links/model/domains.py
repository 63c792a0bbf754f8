"""The domain that somebody owns: `news.bbc.co.uk` is `bbc.co.uk`, `me.github.io` is itself.

Suffixes of the private section count, so that the tenants of a hosting service are apart.
"""

from __future__ import annotations

from functools import lru_cache
from ipaddress import ip_address

from publicsuffixlist import PublicSuffixList


@lru_cache(maxsize=1)
def _suffixes() -> PublicSuffixList:
    return PublicSuffixList()  # read when first needed: 15,000 rules


@lru_cache(maxsize=65_536)
def domain_of(host: str) -> str:
    """Return the registrable domain of a host; an address and a bare name stand for themselves."""
    bare = host.rstrip(".").lower()
    try:
        return str(ip_address(bare.strip("[]")))
    except ValueError:
        return _suffixes().privatesuffix(bare) or bare


def is_domain_itself(host: str) -> bool:
    """Whether nothing of a host could be left out."""
    return domain_of(host) == host.rstrip(".").lower()
