"""Why a job does not run that waits in a lane: its throttle, its turn."""

from __future__ import annotations

from datetime import timedelta
from typing import TYPE_CHECKING

import pytest

from leasehold.model.causes import Reason
from leasehold.model.facts import COUNT_LIMIT
from leasehold.model.ids import WorkerId
from leasehold.model.lanes import Pause, Rule, RuleChange
from tests.conformance.kit import (
    HOST,
    LATER_SECONDS,
    OTHER,
    RULE,
    enqueue_apart,
    enqueue_one,
    look,
    new_jobs,
    pass_time,
)
from tests.conformance.why_kit import assert_free, assert_held, start_worker, take, why

if TYPE_CHECKING:
    from leasehold.store.base import Store


@pytest.fixture(autouse=True)
def a_worker(store: Store) -> None:
    start_worker(store, rules=[Rule(name=RULE, running=2)])


# -- its throttle ----------------------------------------------------------------------------------
def test_a_throttle_that_nobody_declared_holds_its_jobs(store: Store) -> None:
    job_id = enqueue_one(store, lane="nobody:x")
    said = assert_held(store, job_id, Reason.THROTTLE_UNKNOWN)
    assert "nobody has declared throttle nobody" in said.text
    store.change_throttle("nobody", RuleChange(running=1))
    assert_free(store, job_id)


@pytest.mark.parametrize("name", [RULE, HOST])
def test_a_paused_throttle_names_what_to_resume(store: Store, name: str) -> None:
    job_id = enqueue_one(store, lane=HOST)
    store.pause_throttle(name, Pause(seconds=LATER_SECONDS, reason="429"))
    said = assert_held(store, job_id, Reason.THROTTLE_PAUSED)
    assert said.text.startswith(f"throttle {name} is paused until")
    assert said.text.endswith("(429)")
    assert said.until is not None
    store.resume_throttle(name)
    assert_free(store, job_id)


def test_of_two_pauses_the_longer_is_named(store: Store) -> None:
    job_id = enqueue_one(store, lane=HOST)
    store.pause_throttle(RULE, Pause(seconds=60))
    store.pause_throttle(HOST, Pause())
    assert why(store, job_id).text == f"throttle {HOST} is paused until it is resumed"
    store.resume_throttle(HOST)
    assert why(store, job_id).text.startswith(f"throttle {RULE} is paused until 2")


def test_a_full_throttle_names_the_jobs_that_fill_it(store: Store) -> None:
    first, second = enqueue_apart(store, 2, lane=HOST)
    assert sorted(take(store)) == sorted([first, second])
    job_id = enqueue_one(store, lane=HOST)
    said = assert_held(store, job_id, Reason.THROTTLED)
    assert said.text == f"throttled: 2 are running of 2 that {HOST} may"
    assert said.jobs == (first, second)
    store.change_throttle(HOST, RuleChange(running=3))
    assert_free(store, job_id)


def test_a_limit_of_each_worker_is_full_when_no_worker_has_room(store: Store) -> None:
    start_worker(store, OTHER, rules=[Rule(name="gpu", per_worker=1)])
    store.enqueue(new_jobs(2, lane="gpu"))
    assert len(take(store)) == 1
    (job_id,) = take(store, worker=OTHER)
    third = enqueue_one(store, lane="gpu")
    said = assert_held(store, third, Reason.THROTTLED, worker=OTHER)
    assert said.text == "throttled: each worker runs the 1 of gpu that it may"
    assert job_id in said.jobs
    start_worker(store, WorkerId(303))
    assert why(store, third).reason is Reason.NEXT
    assert_free(store, third, worker=WorkerId(303))


def test_a_rate_that_is_used_up_opens_when_it_says(store: Store) -> None:
    store.change_throttle(RULE, RuleChange(running=None, rate=0.1, burst=2.0))
    store.enqueue(new_jobs(2, lane=HOST))
    assert len(take(store)) == 2
    job_id = enqueue_one(store, lane=HOST)
    said = assert_held(store, job_id, Reason.RATE)
    facts = store.facts(job_id)
    assert facts is not None
    assert said.until is not None
    assert timedelta(0) < said.until - facts.moment < timedelta(seconds=11)
    pass_time(store, (said.until - facts.moment) / timedelta(seconds=1) + 0.1)
    assert why(store, job_id).reason is Reason.NEXT
    assert_free(store, job_id)


def test_a_cost_over_what_is_left_waits_while_a_lesser_one_runs(store: Store) -> None:
    store.change_throttle(RULE, RuleChange(running=None, rate=0.01, burst=10.0))
    dear = enqueue_one(store, lane=HOST, cost=9.0)
    take(store)
    job_id = enqueue_one(store, lane=HOST, cost=5.0)
    assert "5 needed" in assert_held(store, job_id, Reason.RATE).text
    cheap = enqueue_one(store, lane=HOST, cost=0.5, priority=1)
    assert why(store, cheap).reason is Reason.NEXT
    assert_free(store, cheap)
    assert look(store, dear).state == "running"
    store.refill_throttle(HOST)
    assert_free(store, job_id)


# -- its turn --------------------------------------------------------------------------------------
def test_a_share_waits_for_its_turn(store: Store) -> None:
    theirs = enqueue_one(store, lane="", share="ada")
    job_id = enqueue_one(store, lane="", share="bob")
    said = assert_held(store, job_id, Reason.TURN, limit=1)
    assert "1 other share has jobs waiting" in said.text
    assert look(store, theirs).state == "running"
    assert why(store, job_id).reason is Reason.NEXT
    assert_free(store, job_id, limit=1)


def test_shares_of_other_queues_and_priorities_take_no_turns_with_it(store: Store) -> None:
    enqueue_one(store, lane="", share="ada", queue="mail")
    enqueue_one(store, lane="", share="eve", priority=-5)
    job_id = enqueue_one(store, lane="", share="bob")
    enqueue_one(store, lane=HOST, share="bob")  # its own
    assert why(store, job_id).reason is Reason.NEXT


def test_those_before_it_in_its_queue_are_counted(store: Store) -> None:
    urgent = enqueue_apart(store, 1, priority=3)
    older = enqueue_apart(store, 2)
    job_id = enqueue_one(store)
    pass_time(store, 1)
    enqueue_one(store)
    enqueue_one(store, queue="mail", priority=9)
    said = why(store, job_id)
    assert (said.reason, said.text) == (Reason.IN_LINE, "3 jobs of its queue stand before it")
    assert f"jobs reprioritise {job_id} --priority 4" in said.advice
    store.reprioritise(job_id, 4)
    assert why(store, job_id).reason is Reason.NEXT
    assert take(store, limit=4) == [job_id, *urgent, *older]


def test_those_before_it_in_its_lane_are_counted(store: Store) -> None:
    older = enqueue_apart(store, 3, lane=HOST)
    job_id = enqueue_one(store, lane=HOST)
    said = assert_held(store, job_id, Reason.IN_LINE, limit=1)
    assert said.text == "3 jobs of its lane stand before it"
    assert look(store, older[0]).state == "running"
    store.reprioritise(job_id, 1)
    assert_free(store, job_id, limit=1)


def test_counting_those_before_it_ends_somewhere(store: Store) -> None:
    store.enqueue(new_jobs(COUNT_LIMIT + 5))
    store.enqueue(new_jobs(COUNT_LIMIT + 5, lane=HOST))
    pass_time(store, 1)
    for lane in (None, HOST):
        said = why(store, enqueue_one(store, lane=lane))
        assert said.text.startswith("1,000 or more jobs of its")
