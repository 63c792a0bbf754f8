"""Every test here runs on both stores: a fresh file, or one database emptied between tests."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from leasehold.client import Client
from tests.conformance.conftest import pytest_generate_tests, store_url

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

__all__ = ["pytest_generate_tests", "store_url"]


@pytest.fixture
def client(store_url: str) -> Iterator[Client]:
    with Client(store_url) as opened:
        yield opened


@pytest.fixture
def beacon(tmp_path: Path) -> str:
    """A file that a handler makes when it has started, in whatever process it runs."""
    return str(tmp_path / "beacon")
