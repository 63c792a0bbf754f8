"""What may wait for ever is found by an examination, and nothing else is."""

from __future__ import annotations

from typing import TYPE_CHECKING

from leasehold.model.lanes import Pause, Rule, RuleChange
from tests.conformance.key_kit import REPLACE, ask, hand_over, start, succeed
from tests.conformance.kit import (
    HOST,
    OTHER_HOST,
    RULE,
    declare,
    enqueue_one,
    make_batch,
    new_jobs,
)
from tests.conformance.needs_kit import end, enqueue_after, enqueue_needed

if TYPE_CHECKING:
    from leasehold.store.base import Store

TOPICS = {"throttles", "paused queues", "keys", "batches", "dependencies"}
HOUR_SECONDS = 3600.0


def told(store: Store) -> list[str]:
    """Say what it warns of."""
    findings = [each for each in store.examine() if each.topic in TOPICS]
    assert {each.level for each in findings} <= {"warning"}
    assert all(each.remedy for each in findings)
    return [f"{each.topic}: {each.message}" for each in findings]


def pause_earlier(store: Store, name: str, seconds: float, pause: Pause) -> None:
    """Pause a queue so long ago."""
    store.skew_seconds -= seconds
    store.pause_queue(name, pause)
    store.skew_seconds += seconds


def test_a_throttle_that_nobody_declared_is_found(store: Store) -> None:
    store.enqueue([*new_jobs(2, lane=HOST), *new_jobs(1, lane=OTHER_HOST)])
    enqueue_one(store, share="user:7", lane="")
    (message,) = told(store)
    assert message.startswith(f"throttles: 3 jobs wait for throttle {RULE}, which nobody has decl")

    store.pause_throttle(RULE, Pause(by="Ada"))  # which says nothing of its limits
    assert len(told(store)) == 1
    declare(store, Rule(name=RULE, rate=1.0, burst=1.0))
    assert told(store) == []


def test_a_key_with_limits_of_its_own_needs_no_rule(store: Store) -> None:
    store.enqueue([*new_jobs(1, lane=HOST), *new_jobs(1, lane=OTHER_HOST)])
    store.change_throttle(HOST, RuleChange(running=1))
    (message,) = told(store)
    assert message.startswith(f"throttles: 1 job waits for throttle {RULE}")


def test_jobs_in_a_queue_that_was_paused_long_ago_are_found(store: Store) -> None:
    declare(store, Rule(name=RULE, running=1))
    store.enqueue([*new_jobs(2, queue="mail"), *new_jobs(1, queue="mail", lane=HOST)])
    pause_earlier(store, "mail", HOUR_SECONDS + 60, Pause())
    pause_earlier(store, "empty", HOUR_SECONDS + 60, Pause())
    (message,) = told(store)
    assert message == "paused queues: 3 jobs wait in mail, which has been paused for over an hour"

    store.resume_queue("mail")
    assert told(store) == []


def test_a_pause_that_is_new_or_over_is_none(store: Store) -> None:
    enqueue_one(store, queue="mail")
    store.pause_queue("mail", Pause())
    assert told(store) == []
    pause_earlier(store, "mail", 3 * HOUR_SECONDS, Pause(seconds=HOUR_SECONDS))
    assert told(store) == []


def test_one_behind_a_job_that_runs_no_more_is_found(store: Store) -> None:
    taken = start(store)
    ask(store, REPLACE)
    assert told(store) == []
    succeed(store, taken)
    (message,) = told(store)
    assert message == "keys: 1 job waits behind another one of the same key that runs no more"
    hand_over(store)
    assert told(store) == []


def test_a_batch_that_nobody_ends_is_found(store: Store) -> None:
    store.skew_seconds -= 61
    over = make_batch(store)
    store.seal_batch(over)
    live = make_batch(store)
    enqueue_one(store, batch=live)
    store.seal_batch(live)
    store.skew_seconds += 61
    fresh = make_batch(store)
    store.seal_batch(fresh)
    (message,) = told(store)
    assert message == "batches: 1 sealed for over a minute, with nothing alive, and not ended"
    store.sweep(after=None, limit=10, is_thorough=False)
    assert told(store) == []


def test_a_batch_whose_seal_was_forgotten_is_found(store: Store) -> None:
    store.skew_seconds -= 25 * HOUR_SECONDS
    forgotten = make_batch(store)
    parent = make_batch(store)
    enqueue_one(store, batch=make_batch(store, parent=parent))
    store.skew_seconds += 25 * HOUR_SECONDS
    make_batch(store)
    (finding,) = [each for each in store.examine() if each.topic == "batches"]
    assert finding.message.startswith("1 open for over a day")
    assert str(forgotten) in finding.remedy


def test_one_that_was_retried_without_what_it_needs_is_found(store: Store) -> None:
    needed = enqueue_needed(store)
    job_id = enqueue_after(store, needed)
    assert told(store) == []
    end(store, needed, "dead")
    store.release_dependents([needed])
    store.retry(job_id)
    (message,) = told(store)
    assert message.startswith("dependencies: 1 job waits for others that have failed or are gone")
    store.retry(needed)
    assert told(store) == []
