"""Databases of a test's own, with the tables of the queue alone."""

from __future__ import annotations

from contextlib import closing
from typing import TYPE_CHECKING

import pytest

import leasehold as lh
from leasehold.kit.data import Database

if TYPE_CHECKING:
    from collections.abc import Iterator


@pytest.fixture(params=["sqlite", "postgres"])
def client(request: pytest.FixtureRequest) -> Iterator[lh.Client]:
    with lh.Client(request.getfixturevalue(f"migrated_{request.param}_url")) as client:
        yield client


@pytest.fixture
def database(client: lh.Client) -> Iterator[Database]:
    with closing(Database(client.url)) as database:
        yield database
