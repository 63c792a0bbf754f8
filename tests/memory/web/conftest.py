"""A home with a memory, and the application over it."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from leasehold_memory.embedding import LocalEmbedder
from leasehold_memory.opening import Memory
from tests.memory.web.kit import Asker, Standing, asking


@pytest.fixture(scope="session")
def embedder() -> Iterator[LocalEmbedder]:
    """One process for all tests: it takes a second to start."""
    embedder = LocalEmbedder()
    yield embedder
    embedder.close()


@pytest.fixture
def companion(tmp_path: Path, embedder: LocalEmbedder) -> Iterator[Standing]:
    companion = Standing(tmp_path / "home", embedder)
    yield companion
    companion.close()


@pytest.fixture
def memory(companion: Standing) -> Memory:
    return companion.memory


@pytest.fixture
def asker(companion: Standing) -> Iterator[Asker]:
    with asking(companion) as asker:
        yield asker
