"""What can go wrong with a fetch, so that an application can tell outcomes apart.

FetchFailed
├── UrlRefused            scheme, port, user, host or spelling: never fetched, never will be
│   └── AddressRefused    … it leads to an address that is not part of the public internet
├── RedirectRefused       too many hops, a loop, or a Location that can't be read
├── NameNotFound          the name has no address, or its servers do not answer
├── ConnectionFailed      refused, reset, unreachable
│   └── TlsFailed         … or its certificate does not fit
├── TooSlow               a deadline passed: of the connection, of silence, or of all of it
├── TooLarge              more bytes than the rules allow, on the wire or decoded
└── BadAnswer             not HTTP, huge or broken headers, a broken or unknown encoding
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, ClassVar

from leasehold.errors import LeaseholdError
from leasehold.model.scrubbing import scrub_url

if TYPE_CHECKING:
    from leasehold.fetching.answers import Hop


class FetchFailed(LeaseholdError):
    """A fetch came to nothing. `url` is where it ended, without its query: that may be secret."""

    may_retry: ClassVar[bool] = True  # whether the same fetch may do better later

    def __init__(self, url: str, reason: str) -> None:
        self.url = _shown(url)
        self.reason = reason
        self.hops: tuple[Hop, ...] = ()  # the redirects that led there
        super().__init__(f"{self.url}: {reason}")


class UrlRefused(FetchFailed):
    """The URL itself is not one that may be fetched."""

    may_retry = False


class AddressRefused(UrlRefused):
    """The host is, or its name has, an address that must not be reached."""

    def __init__(self, url: str, address: str, reason: str) -> None:
        super().__init__(url, f"{address} is refused: {reason}")
        self.address = address


class RedirectRefused(FetchFailed):
    """The redirects do not end, or one of them can't be followed."""

    may_retry = False


class NameNotFound(FetchFailed):
    """The name could not be resolved."""


class ConnectionFailed(FetchFailed):
    """The connection could not be made, or was cut."""


class TlsFailed(ConnectionFailed):
    """No secure connection: the certificate does not fit the name, or the handshake failed."""


class TooSlow(FetchFailed):
    """A deadline passed."""


class TooLarge(FetchFailed):
    """The answer is larger than the rules allow."""

    may_retry = False


class BadAnswer(FetchFailed):
    """What came is not an answer that can be used."""


_SHOWN = 300
_SECRET_PARTS = re.compile(r"[?#].*|^/*[^/]*@", re.DOTALL)


def _shown(url: str) -> str:
    """Return what may stand in a log: no user, no query, nothing that would begin a new line."""
    bare = scrub_url(url)
    bare = bare if "://" in bare else _SECRET_PARTS.sub("", bare)
    return "".join(each if each.isprintable() else "?" for each in bare[:_SHOWN])
