"""An office for each test, on either database, with keys to encrypt passwords with."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

import leasehold as lh
from leasehold.kit.data import Database
from leasehold_documents.extracting import close_engines
from tests.documents.flow.kit import Office, open_office


@pytest.fixture
def queue(url: str) -> Iterator[lh.Client]:
    with lh.Client(url, keyring=lh.Keyring.generate()) as client:
        yield client


@pytest.fixture
def office(queue: lh.Client, database: Database, tmp_path: Path) -> Iterator[Office]:
    with open_office(queue, database, tmp_path) as office:
        yield office


@pytest.fixture(scope="session", autouse=True)
def _engines() -> Iterator[None]:
    """Keep the parsers' processes for all tests here."""
    yield
    close_engines()
