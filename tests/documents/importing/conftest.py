"""Each of the three clouds, connected to an office, on either database."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

import leasehold as lh
from leasehold.kit.data import Database
from tests.documents.flow.kit import Office, open_office
from tests.documents.importing.kit import Cloud, cloud_of


@pytest.fixture
def queue(url: str) -> Iterator[lh.Client]:
    with lh.Client(url, keyring=lh.Keyring.generate()) as client:
        yield client


@pytest.fixture
def office(queue: lh.Client, database: Database, tmp_path: Path) -> Iterator[Office]:
    with open_office(queue, database, tmp_path) as office:
        yield office


@pytest.fixture(params=["dropbox", "onedrive", "gdrive"])
def cloud(request: pytest.FixtureRequest, office: Office) -> Iterator[Cloud]:
    """One that shows five files a page."""
    with cloud_of(request.param, office, page_size=5) as cloud:
        cloud.connect()
        yield cloud


@pytest.fixture
def dropbox(office: Office) -> Iterator[Cloud]:
    """One of them, where it does not matter which."""
    with cloud_of("dropbox", office) as cloud:
        cloud.connect()
        yield cloud
