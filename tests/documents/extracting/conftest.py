"""One engine for all tests here: its process takes a moment to start."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from leasehold_documents.extracting.builtin import BuiltIn


@pytest.fixture(scope="session")
def engine() -> Iterator[BuiltIn]:
    opened = BuiltIn()
    yield opened
    opened.close()
