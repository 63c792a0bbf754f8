"""A slot is passed on with the end of its job: to the next of its lane, never beyond a limit."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from leasehold.model.ids import derive_id
from leasehold.model.lanes import Pause, Rule, RuleChange
from leasehold.model.quotas import QuotaChange
from leasehold.model.states import State
from leasehold.store.base import Answer
from tests.conformance.kit import (
    GREET,
    HOST,
    LEASE_SECONDS,
    OTHER,
    OTHER_HOST,
    RULE,
    WORKER,
    claim_lanes,
    declare,
    enqueue_apart,
    lapse,
    look,
    place_of,
    promote,
    raw,
    settlement,
    take_suspect,
)

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence
    from typing import Any

    from leasehold.model.ids import JobId
    from leasehold.model.values import Claim
    from leasehold.store.base import Store

HOUR = 3600.0


@pytest.fixture(autouse=True)
def two_at_once(store: Store) -> None:
    declare(store, Rule(name=RULE, running=2))


def begin(store: Store, count: int, **options: Any) -> tuple[list[JobId], list[Claim]]:
    """Enqueue jobs of one key and start the first two."""
    jobs = enqueue_apart(store, count, lane=HOST, **options)
    return jobs, claim_lanes(store, place_of(HOST))


def pass_on(
    store: Store, ended: Sequence[Claim], **fields: Any
) -> tuple[list[Answer], list[Claim]]:
    return store.pass_on(
        WORKER,
        [settlement(each, "succeeded", elapsed_seconds=0.1, **fields) for each in ended],
        [each.place for each in ended],
        leases={GREET: LEASE_SECONDS},
    )


def running(store: Store, jobs: Sequence[JobId]) -> list[JobId]:
    return [job_id for job_id in jobs if look(store, job_id).state is State.RUNNING]


def test_the_next_of_the_lane_starts_with_the_end_of_the_one_before(store: Store) -> None:
    jobs, taken = begin(store, 5, tenant="t", max_attempts=3, timeout_seconds=7.5)

    answers, claims = pass_on(store, taken[:1])

    assert answers == [Answer.SETTLED]
    assert look(store, jobs[0]).state is State.SUCCEEDED
    (claim,) = claims
    assert (claim.job_id, claim.place, claim.attempt) == (jobs[2], place_of(HOST), 1)
    assert (claim.tenant, claim.max_attempts, claim.timeout_seconds) == ("t", 3, 7.5)
    assert claim.fence > taken[0].fence
    assert running(store, jobs) == jobs[1:3]
    assert pass_on(store, claims)[0] == [Answer.SETTLED]


def test_as_many_start_as_ended_each_in_its_lane_and_order(store: Store) -> None:
    jobs, taken = begin(store, 6)
    others = enqueue_apart(store, 3, lane=OTHER_HOST)
    taken += claim_lanes(store, place_of(OTHER_HOST))

    answers, claims = pass_on(store, taken)

    assert answers == [Answer.SETTLED] * 4
    assert sorted(claim.job_id for claim in claims) == sorted([*jobs[2:4], others[2]])


def test_an_empty_lane_has_nothing_to_pass_on_to(store: Store) -> None:
    _, taken = begin(store, 2)
    assert pass_on(store, taken) == ([Answer.SETTLED] * 2, [])


def test_a_lease_that_is_lost_passes_nothing_on(store: Store) -> None:
    jobs, taken = begin(store, 4)
    lapse(store)
    promote(store)
    again = take_suspect(store)
    assert again.job_id in jobs[:2]

    answers, claims = pass_on(store, taken)

    assert (set(answers), claims) == ({Answer.LOST}, [])


def test_what_was_settled_before_passes_nothing_on_again(store: Store) -> None:
    jobs, taken = begin(store, 5)
    assert len(pass_on(store, taken)[1]) == 2
    assert pass_on(store, taken) == ([Answer.ALREADY] * 2, [])
    assert running(store, jobs) == jobs[2:4]


def test_another_workers_lease_can_not_be_settled(store: Store) -> None:
    jobs, taken = begin(store, 3)
    said = [settlement(taken[0], "succeeded")]
    answers, claims = store.pass_on(OTHER, said, [taken[0].place], leases={GREET: 60.0})
    assert (answers, claims) == ([Answer.LOST], [])
    assert running(store, jobs) == jobs[:2]


def test_a_job_that_was_cancelled_meanwhile_ends_cancelled_and_its_slot_goes_on(
    store: Store,
) -> None:
    jobs, taken = begin(store, 3)
    store.cancel(jobs[0], by="ops")
    answers, claims = pass_on(store, taken[:1])
    assert (answers, [each.job_id for each in claims]) == ([Answer.SETTLED], [jobs[2]])
    assert look(store, jobs[0]).state is State.CANCELLED


def test_the_callback_of_what_ended_is_made(store: Store) -> None:
    jobs, taken = begin(store, 3, on_end=raw({"kind": "after"}))
    assert len(pass_on(store, taken[:1])[1]) == 1
    assert store.get(derive_id(jobs[0], "end:1")) is not None


def test_a_limit_that_was_lowered_is_kept_to(store: Store) -> None:
    jobs, taken = begin(store, 6)
    store.change_throttle(HOST, RuleChange(running=1, by="ops"))

    assert pass_on(store, taken[:1])[1] == []
    assert running(store, jobs) == [jobs[1]]
    ((_, (claim,)),) = [pass_on(store, taken[1:])]
    assert running(store, jobs) == [claim.job_id] == [jobs[2]]


def test_a_limit_lowered_to_less_than_ended_at_once_leaves_one(store: Store) -> None:
    jobs, taken = begin(store, 6)
    store.change_throttle(HOST, RuleChange(running=1, by="ops"))
    assert len(pass_on(store, taken)[1]) == 1
    assert running(store, jobs) == [jobs[2]]


def _set_aside(store: Store) -> None:
    store.change_throttle(RULE, RuleChange(running=None, by="ops"))


HOLDS: dict[str, Callable[[Store], object]] = {
    "pause of the key": lambda store: store.pause_throttle(HOST, Pause(seconds=HOUR)),
    "pause of the rule": lambda store: store.pause_throttle(RULE, Pause()),
    "pause of the queue": lambda store: store.pause_queue("default", Pause(seconds=HOUR)),
    "limit of the queue": lambda store: store.limit_queue("default", running=1, by=None),
    "quota of the tenant": lambda store: store.set_quota("acme", QuotaChange(running=1)),
    "no limit of zero": lambda store: store.change_throttle(HOST, RuleChange(running=0)),
    "rule that nobody declares": _set_aside,
}


@pytest.mark.parametrize("hold", HOLDS.values(), ids=HOLDS)
def test_what_a_claim_would_not_start_is_not_passed_on_to(
    store: Store, hold: Callable[[Store], object]
) -> None:
    jobs, taken = begin(store, 5, tenant="acme")
    hold(store)
    answers, claims = pass_on(store, taken[:1])
    assert (answers, claims) == ([Answer.SETTLED], [])
    assert running(store, jobs) == [jobs[1]]


def test_a_kind_that_this_worker_does_not_know_is_not_passed_on_to(store: Store) -> None:
    _, taken = begin(store, 2)
    strange = enqueue_apart(store, 1, lane=HOST, kind="strange")
    assert pass_on(store, taken[:1]) == ([Answer.SETTLED], [])
    assert running(store, strange) == []
    assert (
        len(claim_lanes(store, place_of(HOST, stage="=strange"), kinds=["strange"]))
        + len(claim_lanes(store, place_of(HOST), kinds=["strange"]))
        == 1
    )


def test_a_higher_priority_that_waits_is_not_overtaken(store: Store) -> None:
    jobs, taken = begin(store, 4)
    (urgent,) = enqueue_apart(store, 1, lane=HOST, priority=5)
    assert pass_on(store, taken[:1]) == ([Answer.SETTLED], [])
    places = [place_of(HOST, priority=5), place_of(HOST)]
    assert [each.job_id for each in claim_lanes(store, *places)] == [urgent]
    assert running(store, jobs) == [jobs[1]]


def test_a_higher_priority_of_another_queue_is_no_matter(store: Store) -> None:
    jobs, taken = begin(store, 4)
    enqueue_apart(store, 1, lane=HOST, priority=5, queue="elsewhere")
    assert [each.job_id for each in pass_on(store, taken[:1])[1]] == [jobs[2]]


def test_a_rate_is_never_exceeded_by_passing_on(store: Store) -> None:
    declare(store, Rule(name="api", running=5, rate=1e-6, burst=3.0))
    jobs = enqueue_apart(store, 6, lane="api")
    taken = claim_lanes(store, place_of("api"))
    assert [each.job_id for each in taken] == jobs[:3]
    assert pass_on(store, taken) == ([Answer.SETTLED] * 3, [])


def test_an_end_that_is_more_than_plain_is_settled_and_passes_nothing_on(store: Store) -> None:
    jobs, taken = begin(store, 4)
    answers, claims = pass_on(store, taken[:1], result=raw(1))
    assert (answers, claims) == ([Answer.SETTLED], [])
    assert look(store, jobs[0]).result == 1


def test_one_job_twice_is_settled_once(store: Store) -> None:
    _, taken = begin(store, 4)
    answers, _ = pass_on(store, [taken[0], taken[0]])
    assert sorted(answers) == sorted([Answer.SETTLED, Answer.ALREADY])
