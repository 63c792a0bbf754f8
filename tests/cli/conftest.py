"""Every test here that needs a database runs on both."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from leasehold.client import Client
from tests.cli.kit import Cli

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

    from tests.recycling import Shelf


@pytest.fixture(params=["sqlite", "postgres"])
def store_url(request: pytest.FixtureRequest, shelf: Shelf) -> str:
    """A file of its own, or the session's database, emptied."""
    if request.param == "sqlite":
        return str(request.getfixturevalue("migrated_sqlite_url"))
    return shelf.empty(request.getfixturevalue("shared_postgres_url"))


@pytest.fixture(params=["sqlite", "postgres"])
def empty_url(request: pytest.FixtureRequest) -> str:
    """A database without tables."""
    url: str = request.getfixturevalue(f"{request.param}_url")
    return url


@pytest.fixture
def client(store_url: str) -> Iterator[Client]:
    with Client(store_url) as opened:
        yield opened


@pytest.fixture
def cli(store_url: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Cli:
    monkeypatch.chdir(tmp_path)
    return Cli(store_url, tmp_path)
