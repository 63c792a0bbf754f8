"""A tenant's archive for each test."""

from __future__ import annotations

import pytest

import leasehold as lh
from leasehold.kit.data import Database
from tests.documents.searching.kit import Archive


@pytest.fixture
def archive(queue: lh.Client, database: Database) -> Archive:
    return Archive(queue, database)
