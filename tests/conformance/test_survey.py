"""One cheap look says whether there is anything to do for a worker."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from leasehold.model.values import Survey
from tests.conformance.kit import GREET, claim, enqueue_one, lapse, pass_time, promote, start_one

if TYPE_CHECKING:
    from leasehold.store.base import Store

QUEUES = ("default", "mail")
NOTHING = Survey(ready=False, suspects=False, parked=False, due_seconds=None)


def look(
    store: Store, queues: tuple[str, ...] = QUEUES, kinds: tuple[str, ...] = (GREET,)
) -> Survey:
    return store.survey(queues, kinds)


def test_an_empty_store_has_nothing_to_do(store: Store) -> None:
    assert look(store) == NOTHING


@pytest.mark.parametrize("queue", QUEUES)
def test_a_ready_job_of_one_of_the_queues_is_seen(store: Store, queue: str) -> None:
    enqueue_one(store, queue=queue)
    assert look(store) == Survey(ready=True, suspects=False, parked=False, due_seconds=None)
    assert look(store, ("elsewhere",)) == NOTHING


def test_a_running_job_is_nothing_to_do(store: Store) -> None:
    enqueue_one(store)
    claim(store)
    assert look(store) == NOTHING


def test_it_tells_when_the_next_scheduled_job_is_due(store: Store) -> None:
    enqueue_one(store, delay_seconds=500.0)
    enqueue_one(store, queue="elsewhere", delay_seconds=100.0)
    seen = look(store)
    assert not seen.ready
    assert seen.due_seconds is not None
    assert 60 < seen.due_seconds <= 100
    pass_time(store, 200)
    overdue = look(store).due_seconds
    assert overdue is not None
    assert overdue <= 0


def test_a_parked_job_is_seen_by_who_knows_its_kind(store: Store) -> None:
    enqueue_one(store, kind="unknown")
    assert claim(store) == []
    assert look(store) == NOTHING
    assert look(store, kinds=(GREET, "unknown")).parked
    assert not look(store, ("elsewhere",), kinds=("unknown",)).parked


def test_a_suspect_is_seen_as_one(store: Store) -> None:
    start_one(store)
    lapse(store)
    assert promote(store) == 1
    assert look(store) == Survey(ready=False, suspects=True, parked=False, due_seconds=None)


def test_a_look_takes_nothing(store: Store) -> None:
    enqueue_one(store)
    look(store)
    assert len(claim(store)) == 1
