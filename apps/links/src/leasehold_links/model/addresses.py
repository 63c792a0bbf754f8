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

from ada_url import normalize_url

from leasehold_links.errors import LinksError
from leasehold_links.model.domains import domain_of, is_domain_itself

KEY_VERSION = 1
LONGEST = 8_192  # of an address; browsers and servers give up far below
_LONGEST_HOST, _LONGEST_LABEL = 253, 63  # of the internet's names
SCHEMES = frozenset({"http", "https"})
# Most addresses are written as a browser would already: small letters, no port, no dots between
# slashes, nothing to be escaped, and no number or punycode at the end of the host.
_PLAIN = re.compile(
    r"https?://(?:(?!xn--)[a-z0-9](?:[a-z0-9-]{0,61}[a-z0-9])?\.)+[a-z]{2,}(?:/(?!\.)[\w~.-]*+)++"
    r"(?:\?[\w~.=&+%-]*+)?",
    re.ASCII,
)
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
    url = _normalised(text)
    scheme = url.partition(":")[0]
    if scheme not in SCHEMES:
        raise NotFetchable("scheme", scheme)
    parts = _PARTS.match(url)
    if parts is None:
        raise NotFetchable("malformed")
    user, host, port, path, query, fragment = parts.groups("")
    known = _read_host(host)
    if not known.can_be_found:
        raise NotFetchable("malformed")
    named = _named(query[1:])
    secret = user or known.is_private or _has_secret(named) or _has_secret_page(fragment)
    return Address(
        url=url,
        host=host,
        domain=known.domain,
        key=f"https://{known.key}{port}{path.removesuffix('/')}"
        f"{_key_query(named)}{_key_fragment(fragment)}",
        is_public=not secret,
    )


def _normalised(text: str) -> str:
    """Write an address as a browser would."""
    if _PLAIN.fullmatch(text):
        return text
    try:
        return normalize_url(text)
    except ValueError:
        raise NotFetchable("malformed") from None


def url_key(text: str) -> str:
    """Return what makes an address the same link as another."""
    return read_address(text).key


class _Host(NamedTuple):
    """What a host alone says of an address; many addresses have the same one."""

    can_be_found: bool
    is_private: bool
    domain: str
    key: str


@lru_cache(maxsize=65_536)
def _read_host(host: str) -> _Host:
    return _Host(_can_be_found(host), is_private(host), domain_of(host), _key_host(host))


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


def _can_be_found(host: str) -> bool:
    """Whether the names of the internet can have such a host: no part of it is too long."""
    bare = host.rstrip(".")
    return len(bare) <= _LONGEST_HOST and max(map(len, bare.split("."))) <= _LONGEST_LABEL


def _named(query: str) -> list[tuple[str, str]]:
    """Cut a query into its parts, each behind its name; what only says where one came from goes."""
    if not query:
        return []
    parts = [(part.partition("=")[0], part) for part in query.split("&") if part]
    return [each for each in parts if not _is_tracker(each[0])]


def _key_query(named: list[tuple[str, str]]) -> str:
    """Sort the query by its names."""
    return "?" + "&".join([part for _, part in sorted(named, key=itemgetter(0))]) if named else ""


def _is_tracker(name: str) -> bool:
    lowered = name.lower()
    return lowered in _TRACKERS or lowered.startswith(_TRACKER_FAMILY)


def _has_secret(named: list[tuple[str, str]]) -> bool:
    """Whether a value may let somebody in."""
    for name, part in named:
        value = part[len(name) + 1 :]
        if value and (_SECRET_NAMES.search(name) or _SECRET_VALUE.fullmatch(value)):
            return True
    return False


def _has_secret_page(fragment: str) -> bool:
    """Whether a fragment that is a page has a query with such a value."""
    return "?" in fragment and _has_secret(_named(fragment.partition("?")[2]))
