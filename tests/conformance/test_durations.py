"""How long jobs of a kind take is remembered by the store, for workers that come later."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from leasehold.model.timing import Measured
from leasehold.model.values import TaskPolicy, WorkerInfo
from tests.conformance.kit import WORKER

if TYPE_CHECKING:
    from leasehold.store.base import Store


def register(store: Store, *kinds: str) -> None:
    info = WorkerInfo(id=WORKER, name="w", queues=(), kinds=kinds, slots=1, version="1")
    policies = [
        TaskPolicy(
            kind=kind,
            queue="default",
            priority=0,
            max_attempts=5,
            timeout_seconds=60,
            dies_on_lapse=False,
        )
        for kind in kinds
    ]
    store.register(info, policies)


def test_nothing_is_known_of_a_kind_before_it_was_measured(store: Store) -> None:
    register(store, "a")
    assert store.durations(["a", "b"]) == {}
    store.note_durations([])


def test_the_first_measurement_counts_whole_the_next_by_its_weight(store: Store) -> None:
    register(store, "a", "b")
    store.note_durations([Measured(kind="a", seconds=10.0, weight=0.25)])
    assert store.durations(["a", "b"]) == {"a": 10.0}
    store.note_durations(
        [
            Measured(kind="a", seconds=20.0, weight=0.25),
            Measured(kind="b", seconds=1.0, weight=1.0),
        ]
    )
    assert store.durations(["a", "b"]) == pytest.approx({"a": 12.5, "b": 1.0})
    assert store.durations(["b"]) == {"b": 1.0}


def test_what_was_measured_outlives_the_workers(store: Store) -> None:
    register(store, "a")
    store.note_durations([Measured(kind="a", seconds=10.0, weight=1.0)])
    store.farewell(WORKER)
    register(store, "a")
    assert store.durations(["a"]) == {"a": 10.0}


def test_a_kind_that_nobody_registered_is_not_remembered(store: Store) -> None:
    store.note_durations([Measured(kind="a", seconds=10.0, weight=1.0)])
    assert store.durations(["a"]) == {}
