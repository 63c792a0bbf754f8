"""A cloud on this machine and its client, without an office between them."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from typing import Any

from leasehold_documents.providers import PROVIDERS, Endpoints, Http, Patience, Provider
from leasehold_documents.servers import SERVERS, FileServer

FAST = Patience(silence=1.0, page=2.0, file=2.0)


@dataclass
class Held:
    """A token, and those that were found stale."""

    token: str
    next: list[str] = field(default_factory=list)
    stale: list[str] = field(default_factory=list)

    def current(self) -> str:
        return self.token

    def renew(self, stale: str) -> str:
        self.stale.append(stale)
        self.token = self.next.pop()
        return self.token


@contextmanager
def served(name: str, **options: Any) -> Iterator[tuple[FileServer, Provider, Held]]:
    """Serve a cloud, and let it be read with little patience."""
    with SERVERS[name](**options) as server:
        held = Held(server.grant()["access_token"], [server.grant()["access_token"]])
        with Http(held, FAST) as http:
            yield server, PROVIDERS[name](http, Endpoints.of(name, server.url)), held


def names_of(provider: Provider, place: str) -> list[str]:
    """Read all pages of a place."""
    page = provider.page(place, None)
    found = list(page.entries)
    while page.cursor is not None:
        page = provider.page(place, page.cursor)
        found += page.entries
    return sorted(entry.name for entry in found if entry.kind == "file")
