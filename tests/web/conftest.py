"""Every test here that needs a database runs on both."""

from __future__ import annotations

import contextlib
from typing import TYPE_CHECKING

import pytest

from leasehold.client import Client
from leasehold.web import WebSettings
from tests.web.kit import Service, serve_inside

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from tests.recycling import Shelf


@pytest.fixture(params=["sqlite", "postgres"])
def store_url(request: pytest.FixtureRequest, shelf: Shelf) -> str:
    """A file of its own, or the session's database, emptied."""
    if request.param == "sqlite":
        return str(request.getfixturevalue("migrated_sqlite_url"))
    return shelf.empty(request.getfixturevalue("shared_postgres_url"))


@pytest.fixture
def client(store_url: str) -> Iterator[Client]:
    with Client(store_url) as opened:
        yield opened


@pytest.fixture
def serve(client: Client) -> Iterator[Callable[[WebSettings], Service]]:
    """Make a service with settings of one's own."""
    with contextlib.ExitStack() as stack:
        yield lambda settings: stack.enter_context(serve_inside(client, settings))


@pytest.fixture
def service(serve: Callable[[WebSettings], Service]) -> Service:
    """A service over the store, without a server."""
    return serve(WebSettings())
