"""What the two ways to fetch have in common at the edge to the network."""

from __future__ import annotations

import ssl
from contextlib import contextmanager
from functools import cached_property
from typing import TYPE_CHECKING

from leasehold.fetching.addresses import read_address
from leasehold.fetching.errors import AddressRefused, ConnectionFailed, TlsFailed, TooSlow

if TYPE_CHECKING:
    from collections.abc import Iterator

    from leasehold.fetching.addresses import Address


class Trust:
    """Which certificates are trusted: as the caller says, or as the system does."""

    def __init__(self, given: ssl.SSLContext | None) -> None:
        self._given = given

    @cached_property
    def context(self) -> ssl.SSLContext:
        """Read when first needed: it takes longer than most fetches."""
        if self._given is not None:
            return self._given
        made = ssl.create_default_context()
        made.set_alpn_protocols(["http/1.1"])
        return made


@contextmanager
def translate(url: str) -> Iterator[None]:
    """Raise our errors instead of the socket's."""
    try:
        yield
    except TimeoutError as error:
        raise TooSlow(url, "it gave no sign of life in time") from error
    except ssl.SSLError as error:
        raise TlsFailed(url, f"no secure connection: {_told(error)}") from error
    except OSError as error:
        raise ConnectionFailed(url, f"no connection: {_told(error)}") from error


def check_peer(url: str, expected: Address, found: str) -> None:
    """Be sure that the connection leads where it was meant to, whatever lies between."""
    if read_address(found) != expected:
        raise AddressRefused(url, found[:60], f"connected there instead of {expected}")


def _told(error: OSError) -> str:
    if isinstance(error, ssl.SSLCertVerificationError):
        return error.verify_message
    return error.strerror or type(error).__name__
