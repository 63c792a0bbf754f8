"""A paused queue gives nothing to anybody, from the commit of the pause on, until its time."""

from __future__ import annotations

import contextlib
from datetime import UTC, datetime, timedelta
from typing import TYPE_CHECKING

import pytest

from leasehold.model.lanes import SUSPECTS, Pause, Rule
from leasehold.model.states import State
from leasehold.model.values import Want
from leasehold.store import open_store
from tests.conformance.kit import (
    GREET,
    HOST,
    LEASE_SECONDS,
    OTHER,
    RULE,
    STRANGE,
    Place,
    bring,
    claim,
    claim_lanes,
    declare,
    enqueue_one,
    lapse,
    look,
    new_job,
    new_jobs,
    pass_time,
    place_of,
    promote,
    settle,
    start_one,
    take_lanes,
)

if TYPE_CHECKING:
    from leasehold.model.lanes import QueueInfo
    from leasehold.model.values import Claim
    from leasehold.store.base import Store

HOUR = 3600.0


def claim_all(store: Store, queue: str = "default") -> list[Claim]:
    """Ask for whatever the queue has, in every way there is."""
    leases = {GREET: LEASE_SECONDS, STRANGE: LEASE_SECONDS}
    return [
        *claim(store, queues=[queue]),
        *claim(store, queues=[queue], suspects=True),
        *store.claim_parked(OTHER, [Want(queue, 9)], limit=9, leases=leases),
        *claim_lanes(store, place_of(HOST, queue=queue)),
        *claim_lanes(store, place_of(HOST, queue=queue, stage=SUSPECTS)),
        *claim_lanes(store, place_of("", queue=queue, share="ada")),
    ]


def info(store: Store, name: str = "default") -> QueueInfo | None:
    found = [queue for queue in store.queues() if queue.name == name]
    return found[0] if found else None


@pytest.fixture
def full(store: Store) -> int:
    """A queue that has one job of each sort that could be claimed; returns how many."""
    declare(store, Rule(name=RULE, running=9))
    bring(store, Place.PARKED)
    start_one(store)
    start_one(store, lane=HOST)
    lapse(store)
    assert promote(store) == 2
    store.enqueue([new_job(), new_job(lane=HOST), new_job(lane="", share="ada")])
    return 6


def test_a_paused_queue_gives_nothing_from_the_commit_on(store: Store, full: int) -> None:
    store.pause_queue("default", Pause())
    assert claim_all(store) == []
    assert store.resume_queue("default")
    assert len(claim_all(store)) == full


def test_a_queue_paused_by_somebody_else_gives_nothing_either(
    store: Store, store_url: str, full: int
) -> None:
    store.enqueue(new_jobs(5))
    assert len(claim(store, limit=2)) == 2  # so that it remembers what it saw
    with contextlib.closing(open_store(store_url)) as other:
        other.pause_queue("default", Pause())
        assert claim_all(store) == []
        other.resume_queue("default")
    assert len(claim_all(store)) == full + 3


def test_a_pause_takes_nothing_from_other_queues(store: Store) -> None:
    declare(store, Rule(name=RULE, running=9))
    for queue in ("a", "b"):
        store.enqueue(new_jobs(2, queue=queue))
        store.enqueue(new_jobs(2, queue=queue, lane=HOST))
    store.pause_queue("a", Pause())

    assert {taken.queue for taken in claim(store, queues=["a", "b"])} == {"b"}
    lanes = [place_of(HOST, queue=queue) for queue in ("a", "b")]
    assert [taken.queue for taken in claim_lanes(store, *lanes)] == ["b", "b"]


def test_a_paused_queue_uses_up_no_limit_of_a_key(store: Store) -> None:
    declare(store, Rule(name=RULE, running=1))
    for queue in ("a", "b"):
        enqueue_one(store, queue=queue, lane=HOST)
    store.pause_queue("a", Pause())

    lanes = [place_of(HOST, queue=queue) for queue in ("a", "b")]
    assert [taken.queue for taken in claim_lanes(store, *lanes)] == ["b"]


def test_an_unknown_kind_is_not_set_aside_in_a_paused_queue(store: Store) -> None:
    enqueue_one(store, kind=STRANGE)
    store.pause_queue("default", Pause())
    claim(store)
    assert store.parked_kinds() == {}


@pytest.mark.parametrize("named", [False, True])
def test_resume_at_comes_by_itself(store: Store, full: int, *, named: bool) -> None:
    until = datetime.now(UTC) + timedelta(seconds=store.skew_seconds + HOUR)
    store.pause_queue("default", Pause(until=until) if named else Pause(seconds=HOUR))

    pass_time(store, HOUR - 60)
    assert claim_all(store) == []
    pass_time(store, 120)
    assert len(claim_all(store)) == full
    assert not store.resume_queue("default")


def test_a_pause_without_an_end_lasts(store: Store) -> None:
    enqueue_one(store)
    store.pause_queue("default", Pause())
    pass_time(store, 50 * 365 * 86_400)
    assert claim(store) == []


def test_a_pause_is_set_exactly_and_may_be_shortened(store: Store) -> None:
    enqueue_one(store)
    store.pause_queue("default", Pause())
    store.pause_queue("default", Pause(seconds=HOUR))
    pass_time(store, HOUR + 1)
    assert len(claim(store)) == 1


def test_resume_says_whether_a_pause_stood(store: Store) -> None:
    assert not store.resume_queue("default")
    store.pause_queue("default", Pause(seconds=HOUR))
    assert store.resume_queue("default")
    assert not store.resume_queue("default")


def test_a_paused_queue_takes_enqueues_and_promotions(store: Store) -> None:
    store.pause_queue("default", Pause())
    now, later = enqueue_one(store), enqueue_one(store, delay_seconds=10.0)
    pass_time(store, 20)
    assert promote(store) == 1
    assert claim(store) == []
    assert store.resume_queue("default")
    assert {taken.job_id for taken in claim(store)} == {now, later}


def test_what_runs_ends_while_its_queue_is_paused(store: Store) -> None:
    done, released = start_one(store), start_one(store)
    store.pause_queue("default", Pause())

    assert settle(store, done, "succeeded") == "settled"
    assert settle(store, released, "released") == "settled"
    assert look(store, released.job_id).state is State.QUEUED
    assert claim(store) == []


def test_people_reach_the_jobs_of_a_paused_queue(store: Store) -> None:
    cancelled, deleted = enqueue_one(store), enqueue_one(store)
    store.pause_queue("default", Pause())

    assert store.cancel(cancelled, by="ops") is State.CANCELLED
    assert store.retry(cancelled) is State.QUEUED
    assert store.delete(deleted) is None


def test_a_pause_shows_its_reason_and_who_it_was(store: Store) -> None:
    store.pause_queue("default", Pause(seconds=HOUR, reason="deploy", by="ops"))
    shown = info(store)
    assert shown is not None
    assert (shown.pause_reason, shown.paused_by) == ("deploy", "ops")
    assert shown.paused_until is not None
    expected = datetime.now(UTC) + timedelta(seconds=HOUR)
    assert abs(shown.paused_until - expected) < timedelta(seconds=60)

    store.resume_queue("default")
    shown = info(store)
    assert shown is None or shown.paused_until is None


def test_an_endless_pause_is_shown_as_one(store: Store) -> None:
    store.pause_queue("default", Pause())
    shown = info(store)
    assert shown is not None
    assert shown.paused_until is not None
    assert shown.paused_until > datetime.now(UTC) + timedelta(days=50 * 365)


def test_a_paused_queue_is_nothing_to_do_until_its_time(store: Store) -> None:
    enqueue_one(store)
    store.pause_queue("default", Pause(seconds=HOUR))
    seen = store.survey(["default"], [GREET])
    assert not seen.ready
    assert seen.due_seconds is not None
    assert HOUR - 60 < seen.due_seconds <= HOUR
    pass_time(store, HOUR + 1)
    assert store.survey(["default"], [GREET]).ready


def test_a_queue_without_an_end_of_its_pause_is_never_due(store: Store) -> None:
    enqueue_one(store)
    store.pause_queue("default", Pause())
    seen = store.survey(["default"], [GREET])
    assert (seen.ready, seen.due_seconds) == (False, None)


def test_an_aging_is_kept_beside_a_pause(store: Store) -> None:
    store.set_aging("default", aging_seconds=600.0)
    store.pause_queue("default", Pause(seconds=HOUR))
    store.resume_queue("default")

    shown = info(store)
    assert shown is not None
    assert (shown.aging_seconds, shown.paused_until) == (600.0, None)
    assert store.survey(["default", "mail"], [GREET]).agings == {"default": 600.0}
    assert store.survey(["mail"], [GREET]).agings == {}
    store.set_aging("default", aging_seconds=None)
    assert store.survey(["default"], [GREET]).agings == {}


def test_lanes_of_a_paused_queue_are_found_again_after_it(store: Store) -> None:
    declare(store, Rule(name=RULE, running=1))
    enqueue_one(store, lane=HOST)
    store.pause_queue("default", Pause(seconds=HOUR))
    assert take_lanes(store) == []
    pass_time(store, HOUR + 1)
    assert len(take_lanes(store)) == 1
