"""Two tenants and their people, and the application inside of the service."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

import leasehold as lh
from leasehold_documents.extracting import close_engines
from leasehold_documents.settings import Settings, lending
from tests.documents.access.kit import Two, make_two
from tests.documents.web.kit import DocumentAsker, serve_inside, settings_for

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

    from leasehold.kit.data import Database


@pytest.fixture
def queue(url: str) -> Iterator[lh.Client]:
    """A client with keys, to encrypt passwords with."""
    with lh.Client(url, keyring=lh.Keyring.generate()) as client:
        yield client


@pytest.fixture(scope="session", autouse=True)
def _engines() -> Iterator[None]:
    """Keep the parsers' processes for all tests here."""
    yield
    close_engines()


@pytest.fixture
def said(tmp_path: Path) -> Iterator[Settings]:
    with lending(settings_for(tmp_path)) as said:
        yield said


@pytest.fixture
def two(database: Database) -> Two:
    return make_two(database)


@pytest.fixture
def asker(queue: lh.Client, said: Settings) -> Iterator[DocumentAsker]:
    """Somebody who shows nothing."""
    with serve_inside(queue) as asker:
        yield asker


@pytest.fixture
def ada(asker: DocumentAsker, two: Two) -> DocumentAsker:
    """A member of the first tenant."""
    return asker.as_user(two.ada)
