"""A memory whose vectors are made by one process for all tests of a module."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from leasehold_memory.embedding import LocalEmbedder
from leasehold_memory.opening import Memory


@pytest.fixture(scope="module")
def embedder() -> Iterator[LocalEmbedder]:
    embedder = LocalEmbedder()
    yield embedder
    embedder.close()


@pytest.fixture
def memory(memory: Memory, embedder: LocalEmbedder) -> Memory:
    memory.embedder = embedder
    return memory
