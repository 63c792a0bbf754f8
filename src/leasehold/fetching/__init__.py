"""Fetches URLs that strangers give, and reaches nothing but the public internet.

The extra `fetch` installs what it needs: `pip install "leasehold[fetch]"`.
"""

try:
    import h11  # noqa: F401 - to say which extra is missing
    import idna  # noqa: F401
except ImportError as error:
    raise ImportError("fetching needs the extra: pip install 'leasehold[fetch]'") from error

from leasehold.fetching.answers import Head, Headers, Hop, Page
from leasehold.fetching.asynchronous import AsyncAnswer, AsyncFetcher
from leasehold.fetching.blocking import Answer, Fetcher
from leasehold.fetching.errors import (
    AddressRefused,
    BadAnswer,
    ConnectionFailed,
    FetchFailed,
    NameNotFound,
    RedirectRefused,
    TlsFailed,
    TooLarge,
    TooSlow,
    UrlRefused,
)
from leasehold.fetching.resolving import Resolver, system_resolver
from leasehold.fetching.rules import FetchRules

__all__ = [
    "AddressRefused",
    "Answer",
    "AsyncAnswer",
    "AsyncFetcher",
    "BadAnswer",
    "ConnectionFailed",
    "FetchFailed",
    "FetchRules",
    "Fetcher",
    "Head",
    "Headers",
    "Hop",
    "NameNotFound",
    "Page",
    "RedirectRefused",
    "Resolver",
    "TlsFailed",
    "TooLarge",
    "TooSlow",
    "UrlRefused",
    "system_resolver",
]
