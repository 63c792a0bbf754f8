"""Fixtures: one memory whose jobs are derived by a real server's answers."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.memory.deriving.kit import World, open_world


@pytest.fixture
def world(tmp_path: Path) -> Iterator[World]:
    with open_world(tmp_path) as opened:
        yield opened


@pytest.fixture
def other_world(tmp_path: Path) -> Iterator[World]:
    with open_world(tmp_path / "other") as opened:
        yield opened
