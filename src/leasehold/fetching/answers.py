"""What came back."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from leasehold.fetching.errors import FetchFailed


class Headers:
    """Header fields in the order they came; names are lower case."""

    def __init__(self, pairs: Iterable[tuple[str, str]] = ()) -> None:
        self._pairs = tuple((name.lower(), value) for name, value in pairs)

    def all(self, name: str) -> list[str]:
        return [value for each, value in self._pairs if each == name.lower()]

    def get(self, name: str, default: str | None = None) -> str | None:
        """Return its value; where it came more than once, all of them with commas."""
        return ", ".join(self.all(name)) if name in self else default

    def __contains__(self, name: object) -> bool:
        return isinstance(name, str) and any(each == name.lower() for each, _ in self._pairs)

    def __iter__(self) -> Iterator[tuple[str, str]]:
        return iter(self._pairs)

    def __len__(self) -> int:
        return len(self._pairs)

    def __repr__(self) -> str:
        return f"Headers({[name for name, _ in self._pairs]})"  # values may be secret


@dataclass(frozen=True, slots=True)
class Hop:
    """One redirect on the way."""

    url: str
    status: int
    address: str
    location: str  # where it leads to, as an absolute URL


@dataclass(frozen=True, slots=True, kw_only=True)
class Head:
    """An answer without its body. `url` is the last one asked, after all redirects."""

    url: str
    status: int
    headers: Headers
    address: str  # that was reached
    hops: tuple[Hop, ...] = ()
    next_url: str | None = None  # of a redirect that was not followed


@dataclass(frozen=True, slots=True, kw_only=True)
class Page(Head):
    """An answer with its body, decoded. `cut_by` says why there is no more of it, if so."""

    body: bytes = field(repr=False)
    wire_bytes: int
    cut_by: FetchFailed | None = None
