"""A worker that has the process to itself leaves its garbage collector as it was."""

from __future__ import annotations

import gc
from typing import TYPE_CHECKING

import pytest

from leasehold.worker.collector import YOUNG_OBJECTS, calm_collector

if TYPE_CHECKING:
    from collections.abc import Iterator


@pytest.fixture(autouse=True)
def _frozen_again() -> Iterator[None]:
    """The tests themselves are frozen."""
    yield
    gc.freeze()


def test_what_was_there_is_not_looked_through_meanwhile_and_is_afterwards() -> None:
    gc.unfreeze()
    before = gc.get_threshold()
    with calm_collector():
        assert gc.get_freeze_count() > 0
        assert gc.get_threshold()[0] >= YOUNG_OBJECTS
    assert gc.get_freeze_count() == 0
    assert gc.get_threshold() == before


def test_what_the_program_had_frozen_stays_frozen() -> None:
    gc.freeze()
    with calm_collector():
        pass
    assert gc.get_freeze_count() > 0
