"""Fixtures of the application's tests: a queue with the tables of documents, on either database."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from leasehold_documents.data.migrating import MIGRATIONS
from leasehold_documents.data.tables import metadata
from leasehold_documents.extracting import close_engines
from tests.app_fixtures import *  # noqa: F403 - fixtures
from tests.app_tables import AppTables
from tests.documents.fencing import listening


@pytest.fixture(scope="session")
def app_tables() -> AppTables:
    return AppTables(MIGRATIONS, metadata)


@pytest.fixture(autouse=True, scope="session")
def _parsers_ended() -> Iterator[None]:
    """The processes that read files are kept between tests, and no longer."""
    yield
    close_engines()


@pytest.fixture(autouse=True)
def _fenced(monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    """On SQLite no statement of a person forgets whose rows it means."""
    with listening(monkeypatch) as forgetful:
        yield
    assert not forgetful
