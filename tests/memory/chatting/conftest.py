"""A memory with a model on this machine."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from leasehold_memory.embedding import LocalEmbedder
from leasehold_memory.llm import Llm
from leasehold_memory.opening import Memory, open_memory
from leasehold_memory.servers import ModelServer
from leasehold_memory.settings import open_settings
from tests.memory.llm.asking import preset_of


@pytest.fixture
def server() -> Iterator[ModelServer]:
    with ModelServer() as server:
        yield server


@pytest.fixture
def llm(server: ModelServer) -> Iterator[Llm]:
    with Llm(preset_of(server)) as llm:
        yield llm


@pytest.fixture(scope="session")
def embedder() -> Iterator[LocalEmbedder]:
    """One process for all tests: it takes a second to start."""
    embedder = LocalEmbedder()
    yield embedder
    embedder.close()


@pytest.fixture
def memory(tmp_path: Path, embedder: LocalEmbedder) -> Iterator[Memory]:
    settings = open_settings(tmp_path)
    with open_memory(tmp_path, settings.current().embedding, settings) as memory:
        memory.embedder = embedder
        yield memory
    settings.close()
