"""Both stores, each with an effect table; and a worker's processes, ended with their test."""

from __future__ import annotations

import contextlib
from typing import TYPE_CHECKING

import pytest

import leasehold as lh
from tests.faults.target import Target, make_effect_table

if TYPE_CHECKING:
    from collections.abc import Iterator


@pytest.fixture(params=["sqlite", "postgres"])
def target(request: pytest.FixtureRequest) -> Iterator[Target]:
    """A prepared, empty queue on either store; its server, if any, is shared: do not crash it."""
    url: str = request.getfixturevalue(f"migrated_{request.param}_url")
    make_effect_table(url)
    with contextlib.closing(Target(request.param, url)) as opened:
        yield opened


@pytest.fixture
def client(target: Target) -> Iterator[lh.Client]:
    with lh.Client(target.url) as opened:
        yield opened
