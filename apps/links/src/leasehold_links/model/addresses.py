"""Addresses as browsers read them, and the key under which two of them are one link.

The key says only whether two addresses are the same link; what is fetched and shown is always the
address as it was given.
"""

from __future__ import annotations

import hashlib
import re
from functools import lru_cache
from ipaddress import ip_address
from operator import itemgetter
from typing import NamedTuple

from ada_url import URL

from leasehold_links.errors import LinksError
from leasehold_links.model.domains import domain_of, is_domain_itself

KEY_VERSION = 1
LONGEST = 8_192  # of an address; browsers and servers give up far below
SCHEMES = frozenset({"http", "https"})
# Of an address that a browser's rules have put in order: user, host, port, path, query, fragment.
_PARTS = re.compile(
    r"https?://(?:([^/?#@]*)@)?(\[[^]]*]|[^/:?#]+)(:\d+)?([^?#]*)(\?[^#]*)?(#.*)?", re.DOTALL
)

_TRACKERS = frozenset(
    {
        *("fbclid", "gclid", "gbraid", "wbraid", "dclid", "msclkid", "ttclid", "twclid", "yclid"),
        *("igshid", "mc_cid", "mc_eid", "_hsenc", "_hsmi", "mkt_tok", "_ga", "_gl"),
    }
)
_TRACKER_FAMILY = "utm_"
_KEPT_FRAGMENTS = ("#!", "#/")  # pages of their own, in applications that live in one page

# Names of values that let somebody in. Such a link is its owner's, whoever else has it.
_SECRET_NAMES = re.compile(
    r"token|secret|passw|pwd|session|signature|credential|api[-_]?key|access[-_]?key|^auth|^jwt$"
    r"|^sig$|^sid$|^key$|^code$|^otp$|^x-amz-|^x-goog-",
    re.IGNORECASE,
)
# … and values that look like made by a machine to be guessed by none: hashes, signed tokens.
_SECRET_VALUE = re.compile(
    r"[0-9a-fA-F]{32,}|eyJ[\w.-]{20,}|(?=.*[0-9])(?=.*[a-z])(?=.*[A-Z])[\w-]{40,}=*", re.ASCII
)
_PRIVATE_ENDINGS = (
    *(".local", ".localhost", ".internal", ".intranet", ".lan", ".home", ".corp", ".private"),
    *(".home.arpa", ".test", ".example", ".invalid", ".onion"),
)


class Address(NamedTuple):
    """An http or https address."""

    url: str  # as a browser would write it
    host: str
    domain: str  # by which requests are counted and blocks are kept
    key: str
    is_public: bool  # else the link is its owner's alone

    @property
    def key_hash(self) -> bytes:
        return hashlib.sha256(self.key.encode()).digest()


class NotFetchable(LinksError):
    """An address that no link can have: `scheme`, `too_long` or `malformed`."""

    def __init__(self, reason: str, scheme: str = "") -> None:
        super().__init__(_SAID[reason].format(scheme=scheme[:20], longest=LONGEST))
        self.reason = reason
        self.scheme = scheme


_SAID = {
    "malformed": "this is no address",
    "scheme": "{scheme}: addresses can't be links; those of http: and https: can",
    "too_long": "the address is longer than {longest} characters",
}


def read_address(text: str) -> Address:
    """Read an address; `NotFetchable` when it is none that could be fetched."""
    if len(text) > LONGEST:
        raise NotFetchable("too_long")
    try:
        url = URL(text).href
    except ValueError:
        raise NotFetchable("malformed") from None
    scheme = url.partition(":")[0]
    if scheme not in SCHEMES:
        raise NotFetchable("scheme", scheme)
    parts = _PARTS.match(url)
    if parts is None:
        raise NotFetchable("malformed")
    user, host, port, path, query, fragment = parts.groups("")
    return Address(
        url=url,
        host=host,
        domain=domain_of(host),
        key=f"https://{_key_host(host)}{port}{path.removesuffix('/')}"
        f"{_key_query(query)}{_key_fragment(fragment)}",
        is_public=not (user or is_private(host) or _has_secret(query, fragment)),
    )


def url_key(text: str) -> str:
    """Return what makes an address the same link as another."""
    return read_address(text).key


@lru_cache(maxsize=65_536)
def is_private(host: str) -> bool:
    """Whether a host means nothing to others: of this machine, this house or this company."""
    bare = host.strip("[]").rstrip(".")
    try:
        return not ip_address(bare).is_global
    except ValueError:
        return "." not in bare or f".{bare}".endswith(_PRIVATE_ENDINGS)


def _key_host(host: str) -> str:
    is_alias = host.startswith("www.") and not is_domain_itself(host)
    return host.removeprefix("www.") if is_alias else host


def _key_fragment(fragment: str) -> str:
    return fragment if fragment.startswith(_KEPT_FRAGMENTS) else ""


def _key_query(query: str) -> str:
    """Sort the query by its names, without those that only say where a reader came from."""
    parts = [part for part in query[1:].split("&") if part]
    if not parts:
        return ""
    named = [(part.partition("=")[0], part) for part in parts]
    kept = sorted((each for each in named if not _is_tracker(each[0])), key=itemgetter(0))
    return "?" + "&".join([part for _, part in kept]) if kept else ""


def _is_tracker(name: str) -> bool:
    lowered = name.lower()
    return lowered in _TRACKERS or lowered.startswith(_TRACKER_FAMILY)


def _has_secret(query: str, fragment: str) -> bool:
    """Whether a value of the query, or of a fragment that is a page, may let somebody in."""
    if not query and "?" not in fragment:
        return False
    values = (
        part.partition("=") for part in f"{query[1:]}&{fragment.partition('?')[2]}".split("&")
    )
    return any(
        value
        and not _is_tracker(name)
        and (_SECRET_NAMES.search(name) or _SECRET_VALUE.fullmatch(value))
        for name, _, value in values
    )
