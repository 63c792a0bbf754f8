"""A job carries the trace that it was enqueued in to each of its attempts."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from leasehold.model.lanes import Rule
from leasehold.model.values import Only, Want
from tests.conformance.kit import (
    GREET,
    HOST,
    RULE,
    STRANGE,
    WORKER,
    claim,
    claim_one,
    declare,
    enqueue_one,
    fail,
    make_batch,
    new_job,
    new_jobs,
    promote,
    raw,
    settle,
    start_one,
)

if TYPE_CHECKING:
    from leasehold.store.base import Store

TRACE = "00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01"


def test_a_claim_has_the_trace_and_one_without_has_none(store: Store) -> None:
    assert start_one(store, trace=TRACE).trace == TRACE
    assert start_one(store).trace is None


def test_many_that_are_alike_keep_their_own(store: Store) -> None:
    store.enqueue([*new_jobs(3, trace=TRACE), *new_jobs(2), *new_jobs(1, trace="other")])
    found = sorted(each.trace or "" for each in claim(store, limit=10))
    assert found == ["", "", TRACE, TRACE, TRACE, "other"]


@pytest.mark.parametrize(
    "options",
    [{"delay_seconds": 60.0}, {"priority": 3}, {"created_by": "ada"}, {"queue": "mail"}],
)
def test_whatever_else_is_said(store: Store, options: dict[str, object]) -> None:
    enqueue_one(store, trace=TRACE, **options)
    store.skew_seconds += 61
    promote(store)
    (taken,) = claim(store, queues=[str(options.get("queue", "default"))], limit=1)
    assert taken.trace == TRACE


def test_in_a_lane_and_in_a_narrowed_claim(store: Store) -> None:
    declare(store, Rule(name=RULE, running=2))
    assert start_one(store, lane=HOST, trace=TRACE).trace == TRACE
    batch = make_batch(store)
    enqueue_one(store, batch=batch, trace=TRACE)
    for only in (Only(batch=batch), Only(kinds=frozenset({GREET}))):
        (taken,) = store.claim(
            WORKER, [Want("default", 1)], limit=1, leases={GREET: 60.0}, only=only
        )
        assert taken.trace == TRACE
        enqueue_one(store, trace=TRACE)


def test_a_parked_job_keeps_it(store: Store) -> None:
    enqueue_one(store, kind=STRANGE, trace=TRACE)
    assert claim(store, limit=1) == []
    (taken,) = store.claim_parked(WORKER, [Want("default", 1)], limit=1, leases={STRANGE: 60.0})
    assert taken.trace == TRACE


def test_a_retry_is_part_of_the_same(store: Store) -> None:
    fail(store, start_one(store, trace=TRACE))
    promote(store)
    again = claim_one(store)
    assert (again.attempt, again.trace) == (2, TRACE)


def test_a_callback_is_part_of_it_unless_it_says_its_own(store: Store) -> None:
    plain = new_job(trace=TRACE, on_end=raw({"kind": GREET, "queue": "after"}))
    own = new_job(trace=TRACE, on_end=raw({"kind": GREET, "queue": "own", "trace": "own"}))
    store.enqueue([plain, own])
    for taken in claim(store, limit=2):
        settle(store, taken, "succeeded")
    assert claim_one(store, queues=["after"]).trace == TRACE
    assert claim_one(store, queues=["own"]).trace == "own"


@pytest.mark.parametrize("options", [{}, {"delay_seconds": 0.0}])
def test_one_that_is_too_long_is_cut(store: Store, options: dict[str, float]) -> None:
    assert start_one(store, trace="x" * 5_000, **options).trace == "x" * 600
