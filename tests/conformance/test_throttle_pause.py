"""A paused throttle starts none of its jobs: people pause and resume, a handler's 429 extends."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta
from typing import TYPE_CHECKING, Any

import pytest

from leasehold.model.lanes import Pause, Rule, RuleChange
from tests.conformance.kit import (
    HOST,
    OTHER,
    OTHER_HOST,
    RULE,
    WORKER,
    claim_lanes,
    declare,
    enqueue_one,
    held,
    lapse,
    look_lanes,
    new_jobs,
    pass_time,
    place_of,
    promote,
    settle,
    start_one,
    take_lanes,
    take_suspect,
)

if TYPE_CHECKING:
    from leasehold.model.lanes import ThrottleInfo
    from leasehold.store.base import Store

IN_HOST = place_of(HOST)
HOUR = 3600.0


def paused(store: Store) -> ThrottleInfo | None:
    """Return the key as it is listed, if its pause stands."""
    found = [each for each in store.throttles() if each.name == HOST and each.paused_until]
    return found[0] if found else None


@pytest.fixture(autouse=True)
def four_at_once(store: Store) -> None:
    declare(store, Rule(name=RULE, running=4))


@pytest.mark.parametrize("name", [HOST, RULE])
def test_a_paused_key_starts_nothing_until_its_time(store: Store, name: str) -> None:
    store.enqueue(new_jobs(2, lane=HOST))
    store.pause_throttle(name, Pause(seconds=HOUR))

    assert claim_lanes(store, IN_HOST) == []
    (seen,) = look_lanes(store)
    assert seen.room == 0
    assert seen.opens_seconds is not None
    assert HOUR - 60 < seen.opens_seconds <= HOUR
    pass_time(store, HOUR + 1)
    assert len(take_lanes(store)) == 2


def test_a_pause_may_name_its_end(store: Store) -> None:
    enqueue_one(store, lane=HOST)
    store.pause_throttle(HOST, Pause(until=datetime.now(UTC) + timedelta(seconds=HOUR)))

    pass_time(store, HOUR - 60)
    assert take_lanes(store) == []
    pass_time(store, 120)
    assert len(take_lanes(store)) == 1


def test_a_pause_without_an_end_lasts_until_it_is_resumed(store: Store) -> None:
    enqueue_one(store, lane=HOST)
    store.pause_throttle(HOST, Pause())
    pass_time(store, 50 * 365 * 86_400)
    assert claim_lanes(store, IN_HOST) == []
    assert paused(store) is not None

    assert store.resume_throttle(HOST)
    assert len(take_lanes(store)) == 1


def test_resume_says_whether_a_pause_stood(store: Store) -> None:
    assert not store.resume_throttle(HOST)
    store.pause_throttle(HOST, Pause(seconds=HOUR))
    assert store.resume_throttle(HOST)
    assert not store.resume_throttle(HOST)
    assert paused(store) is None


def test_a_pause_of_one_key_leaves_the_others_alone(store: Store) -> None:
    store.enqueue([*new_jobs(2, lane=HOST), *new_jobs(2, lane=OTHER_HOST)])
    store.pause_throttle(HOST, Pause(seconds=HOUR))
    assert [lease.place for lease in take_lanes(store)] == [place_of(OTHER_HOST)] * 2


def test_a_key_waits_for_the_later_of_its_own_and_its_rules_pause(store: Store) -> None:
    enqueue_one(store, lane=HOST)
    store.pause_throttle(RULE, Pause(seconds=HOUR))
    store.pause_throttle(HOST, Pause(seconds=2 * HOUR))

    pass_time(store, HOUR + 1)
    assert claim_lanes(store, IN_HOST) == []
    pass_time(store, HOUR)
    assert len(claim_lanes(store, IN_HOST)) == 1


def test_what_runs_goes_on_while_its_key_is_paused(store: Store) -> None:
    taken = start_one(store, lane=HOST)
    store.pause_throttle(HOST, Pause(seconds=HOUR))
    assert settle(store, taken, "succeeded") == "settled"


def test_people_may_shorten_a_pause(store: Store) -> None:
    enqueue_one(store, lane=HOST)
    store.pause_throttle(HOST, Pause())
    store.pause_throttle(HOST, Pause(seconds=HOUR))
    pass_time(store, HOUR + 1)
    assert len(take_lanes(store)) == 1


def test_a_pause_shows_its_reason_and_who_it_was(store: Store) -> None:
    store.pause_throttle(HOST, Pause(seconds=HOUR, reason="429", by="ops"))
    shown = paused(store)
    assert shown is not None
    assert (shown.pause_reason, shown.paused_by) == ("429", "ops")
    assert shown.paused_until is not None
    assert abs(shown.paused_until - datetime.now(UTC) - timedelta(seconds=HOUR)) < timedelta(
        seconds=60
    )


def test_a_pause_does_not_declare_a_rule(store: Store) -> None:
    enqueue_one(store, lane="nobody:x")
    for name in ("nobody", "nobody:x"):
        store.pause_throttle(name, Pause(seconds=HOUR))
    pass_time(store, HOUR + 1)
    assert claim_lanes(store, place_of("nobody:x")) == []
    for name in ("nobody", "nobody:x"):
        store.pause_throttle(name, Pause(seconds=HOUR))
        store.resume_throttle(name)
    assert claim_lanes(store, place_of("nobody:x")) == []


def test_a_reset_keeps_a_pause_that_runs(store: Store) -> None:
    enqueue_one(store, lane=HOST)
    store.change_throttle(HOST, RuleChange(running=0, by="ops"))
    store.pause_throttle(HOST, Pause(seconds=HOUR))
    assert store.reset_throttle(HOST)

    assert claim_lanes(store, IN_HOST) == []
    pass_time(store, HOUR + 1)
    assert len(claim_lanes(store, IN_HOST)) == 1


@pytest.mark.parametrize("name", [HOST, RULE])
def test_a_worker_start_ends_no_pause(store: Store, name: str) -> None:
    enqueue_one(store, lane=HOST)
    store.pause_throttle(name, Pause(seconds=HOUR))
    declare(store, Rule(name=RULE, running=4), worker=OTHER)
    assert claim_lanes(store, IN_HOST) == []


def test_a_handler_pauses_the_whole_key(store: Store) -> None:
    taken = start_one(store, lane=HOST)
    store.enqueue([*new_jobs(2, lane=HOST), *new_jobs(1, lane=OTHER_HOST)])

    assert store.pause_lane(WORKER, held(taken), Pause(seconds=HOUR, reason="429"))
    assert [lease.place for lease in take_lanes(store)] == [place_of(OTHER_HOST)]
    shown = paused(store)
    assert shown is not None
    assert shown.pause_reason == "429"
    pass_time(store, HOUR + 1)
    assert len(take_lanes(store)) == 2


@pytest.mark.parametrize("seconds", [2 * HOUR, None])
def test_a_handlers_pause_only_extends(store: Store, seconds: float | None) -> None:
    taken = start_one(store, lane=HOST, lease_seconds=10 * HOUR)
    enqueue_one(store, lane=HOST)
    store.pause_throttle(HOST, Pause(seconds=seconds, reason="down", by="ops"))

    assert store.pause_lane(WORKER, held(taken), Pause(seconds=HOUR, reason="429"))
    pass_time(store, HOUR + 60)
    assert claim_lanes(store, IN_HOST) == []
    assert store.pause_lane(WORKER, held(taken), Pause(until=datetime(2001, 1, 1, tzinfo=UTC)))
    assert claim_lanes(store, IN_HOST) == []


def test_a_handlers_pause_extends_one_that_ended(store: Store) -> None:
    taken = start_one(store, lane=HOST, lease_seconds=10 * HOUR)
    enqueue_one(store, lane=HOST)
    store.pause_throttle(HOST, Pause(seconds=HOUR))
    pass_time(store, HOUR + 60)

    assert store.pause_lane(WORKER, held(taken), Pause(seconds=HOUR))
    assert claim_lanes(store, IN_HOST) == []


def test_a_worker_that_lost_its_lease_can_pause_nothing(store: Store) -> None:
    taken = start_one(store, lane=HOST)
    lapse(store)

    assert not store.pause_lane(WORKER, held(taken), Pause(seconds=HOUR))
    promote(store)
    again = take_suspect(store, worker=OTHER)
    assert not store.pause_lane(WORKER, held(taken), Pause(seconds=HOUR))
    assert not store.pause_lane(WORKER, held(again), Pause(seconds=HOUR))
    assert paused(store) is None


def test_a_job_that_ended_can_pause_nothing(store: Store) -> None:
    taken = start_one(store, lane=HOST)
    settle(store, taken, "succeeded")
    assert not store.pause_lane(WORKER, held(taken), Pause(seconds=HOUR))
    assert paused(store) is None


@pytest.mark.parametrize("options", [{}, {"lane": "", "share": "ada"}])
def test_a_job_without_a_throttle_can_pause_nothing(store: Store, options: dict[str, Any]) -> None:
    taken = start_one(store, **options)
    names = [throttle.name for throttle in store.throttles()]
    assert not store.pause_lane(WORKER, held(taken), Pause(seconds=HOUR))
    assert [throttle.name for throttle in store.throttles()] == names
