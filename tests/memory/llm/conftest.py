"""A model on this machine, and somebody who asks it."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from leasehold_memory.llm import Llm
from leasehold_memory.servers import ModelServer
from tests.memory.llm.asking import preset_of


@pytest.fixture
def server() -> Iterator[ModelServer]:
    with ModelServer() as server:
        yield server


@pytest.fixture
def llm(server: ModelServer) -> Iterator[Llm]:
    with Llm(preset_of(server)) as llm:
        yield llm
