"""Two tenants for each test."""

from __future__ import annotations

import pytest

from leasehold.kit.data import Database
from tests.documents.access.kit import Two, make_two


@pytest.fixture
def two(database: Database) -> Two:
    return make_two(database)
