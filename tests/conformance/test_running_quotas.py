"""A tenant with a running quota runs no more than that at once, however its jobs are claimed."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pytest

from leasehold.model.lanes import HELD, SUSPECTS, Ask, Look, Rule
from leasehold.model.quotas import QuotaChange
from leasehold.model.states import State
from leasehold.model.values import Filter, Only, Want
from leasehold.model.why import explain
from tests.conformance.kit import (
    GREET,
    HOST,
    LEASE_SECONDS,
    OTHER,
    OTHER_HOST,
    RULE,
    STRANGE,
    WORKER,
    Place,
    bring,
    claim,
    claim_lanes,
    declare,
    lapse,
    look,
    make_batch,
    new_job,
    new_jobs,
    place_of,
    promote,
    reclaim,
    settle,
    start_many,
    start_one,
    take_lanes,
)

if TYPE_CHECKING:
    from leasehold.model.values import Claim
    from leasehold.store.base import Store

ACME = "acme"
BOTH = {GREET: LEASE_SECONDS, STRANGE: LEASE_SECONDS}


def limit(store: Store, running: int | None) -> None:
    store.set_quota(ACME, QuotaChange(running=running))


def take_held(
    store: Store, *, most: int = 100, kinds: tuple[str, ...] = (GREET,), **options: Any
) -> list[Claim]:
    """Look at the jobs that wait for their tenant, and claim what may start."""
    seen = store.look_lanes(WORKER, [Look("default", HELD)], parties=64, page=100, after={})
    asks = [Ask(lane.place, lane.room) for lane in seen if lane.room > 0]
    leases = dict.fromkeys(kinds, LEASE_SECONDS)
    return store.claim_lanes(WORKER, asks, limit=most, leases=leases, **options).claims


def take_all(store: Store) -> list[Claim]:
    """Ask for whatever there is, in every way."""
    return [
        *claim(store),
        *claim(store, suspects=True),
        *store.claim_parked(WORKER, [Want("default", 9)], limit=9, leases=BOTH),
        *claim_lanes(store, place_of(HOST)),
        *claim_lanes(store, place_of(HOST, stage=SUSPECTS)),
        *claim_lanes(store, place_of("", share="ada")),
        *take_held(store, kinds=(GREET, STRANGE)),
    ]


def end(store: Store, taken: list[Claim]) -> None:
    for each in taken:
        assert settle(store, each, "succeeded") == "settled"


@pytest.fixture
def full(store: Store) -> int:
    """One job of each sort that could be claimed, all of one tenant; returns how many."""
    declare(store, Rule(name=RULE, running=9))
    bring(store, Place.PARKED, tenant=ACME)
    start_one(store, tenant=ACME)
    start_one(store, lane=HOST, tenant=ACME)
    lapse(store)
    assert promote(store) == 2
    store.enqueue([new_job(tenant=ACME), new_job(lane=HOST, tenant=ACME)])
    store.enqueue([new_job(lane="", share="ada", tenant=ACME)])
    return 6


@pytest.mark.parametrize("most", [0, 1, 2, 3, 5, 6])
def test_all_sorts_of_jobs_count_for_one_quota(store: Store, full: int, most: int) -> None:
    limit(store, most)
    ended = 0
    running: list[Claim] = []
    for _ in range(20):
        fresh = take_all(store)
        running += fresh
        assert len(running) <= most
        if not fresh and running:
            end(store, running[:1])
            running, ended = running[1:], ended + 1
    assert ended + len(running) == (full if most else 0)


def test_others_are_claimed_past_those_that_may_not_start(store: Store) -> None:
    limit(store, 2)
    store.enqueue(new_jobs(50, tenant=ACME))
    store.enqueue(new_jobs(3, tenant="other") + new_jobs(3))
    taken = claim(store, limit=5)
    assert [each.tenant for each in taken].count(ACME) <= 2
    taken += claim(store, limit=100) + claim(store, limit=100) + take_held(store)
    assert sorted({each.job_id: each.tenant for each in taken}.values()) == (
        ["", "", "", ACME, ACME, "other", "other", "other"]
    )


def test_a_freed_slot_is_for_the_next_of_that_tenant_in_order(store: Store) -> None:
    limit(store, 1)
    jobs = new_jobs(4, tenant=ACME)
    store.enqueue(jobs)
    taken = claim(store)
    order = [each.job_id for each in taken]
    while taken:
        end(store, taken)
        taken = take_held(store)
        assert len(taken) <= 1
        order += [each.job_id for each in taken]
    assert order == [job.id for job in jobs]


def test_a_claim_that_comes_for_it_gives_the_place_that_frees_it(store: Store) -> None:
    limit(store, 1)
    store.enqueue(new_jobs(2, tenant=ACME, priority=3))
    (taken,) = claim(store)
    assert taken.place == place_of("", stage=f"@{ACME}", priority=3)
    end(store, [taken])
    (following,) = claim_lanes(store, taken.place)
    assert following.tenant == ACME


def test_what_runs_already_counts_and_a_higher_quota_counts_at_once(store: Store) -> None:
    start_many(store, 2, tenant=ACME)
    limit(store, 3)
    store.enqueue(new_jobs(5, tenant=ACME))
    assert len(claim(store)) == 1
    assert take_held(store) == []
    limit(store, 5)
    assert len(take_held(store)) == 2
    limit(store, 1)
    assert take_held(store) == []


def test_what_waits_for_a_quota_that_is_gone_starts(store: Store) -> None:
    limit(store, 1)
    store.enqueue(new_jobs(4, tenant=ACME))
    assert len(claim(store)) == 1
    assert store.remove_quota(ACME)
    assert len(take_held(store)) == 3


def test_a_quota_of_a_key_of_a_queue_and_of_a_tenant_all_hold(store: Store) -> None:
    declare(store, Rule(name=RULE, running=2))
    limit(store, 3)
    store.limit_queue("default", running=4, by=None)
    store.enqueue(new_jobs(4, lane=HOST, tenant=ACME) + new_jobs(4, lane=OTHER_HOST, tenant=ACME))
    limited = ("default",)
    leases = {GREET: LEASE_SECONDS}
    for lane in (HOST, OTHER_HOST):
        asks = [Ask(place_of(lane), 9)]
        assert store.claim_lanes(WORKER, asks, limit=9, leases=leases, limited=limited).claims == []
    assert take_held(store) == []  # it has not heard of the queue's limit
    taken = take_held(store, limited=limited)
    lanes = sorted(each.place.rpartition("\x1f")[2] for each in taken)
    assert lanes in ([HOST, HOST, OTHER_HOST], [HOST, OTHER_HOST, OTHER_HOST])


def test_a_batch_is_claimed_as_its_tenants_quota_allows(store: Store) -> None:
    batch = make_batch(store, tenant=ACME)
    limit(store, 2)
    store.enqueue(new_jobs(4, tenant=ACME, batch=batch))
    only = Only(batch)
    leases = {GREET: LEASE_SECONDS}
    want = [Want("default", 9)]
    assert len(store.claim(WORKER, want, limit=9, leases=leases, only=only)) == 2
    assert store.claim(WORKER, want, limit=9, leases=leases, only=only) == []
    assert take_held(store, only=only) == []


def test_a_job_of_a_kind_that_is_not_known_here_waits_for_who_knows_it(store: Store) -> None:
    limit(store, 2)
    store.enqueue(new_jobs(2, tenant=ACME, kind=STRANGE) + new_jobs(1, tenant=ACME))
    taken = claim(store) + take_held(store)
    assert [each.kind for each in taken] == [GREET]
    places = [Ask(place_of("", stage=f"@{ACME}"), 9)]
    known = store.claim_lanes(OTHER, places, limit=9, leases=BOTH).claims
    assert [each.kind for each in known] == [STRANGE]


def test_a_lapsed_one_comes_back_alone_and_within_the_quota(store: Store) -> None:
    limit(store, 1)
    store.enqueue(new_jobs(1, tenant=ACME))
    (taken,) = claim(store)
    store.skew_seconds += LEASE_SECONDS + 1
    assert reclaim(store) == {taken.job_id: State.QUEUED}
    promote(store)
    found = claim(store, suspects=True) + take_held(store)
    assert [each.job_id for each in found] == [taken.job_id]
    assert look(store, taken.job_id).state is State.RUNNING


def test_what_is_handed_back_or_fails_comes_back_to_its_place(store: Store) -> None:
    limit(store, 1)
    store.enqueue(new_jobs(1, tenant=ACME) + new_jobs(1, tenant=ACME, lane="", share="ada"))
    (taken,) = claim(store) or take_lanes(store)
    assert settle(store, taken, "released") == "settled"
    for _ in range(4):
        found = claim(store) + take_lanes(store) + take_held(store)
        assert len(found) <= 1
        end(store, found)
    assert store.quotas()[0].waiting == 0


def test_a_survey_sees_what_waits_for_a_quota(store: Store) -> None:
    limit(store, 0)
    store.enqueue(new_jobs(2, tenant=ACME))
    assert claim(store) == []
    seen = store.survey(["default"], [GREET])
    assert (seen.ready, seen.lanes) == (False, True)
    (counted,) = store.counts()
    assert counted.ready == 2
    (shown,) = store.quotas()
    assert (shown.waiting, shown.running) == (2, 0)


def test_people_reach_what_waits_for_a_quota(store: Store) -> None:
    limit(store, 0)
    store.enqueue(new_jobs(3, tenant=ACME))
    assert claim(store) == []
    first, second, third = (job.id for job in store.find(Filter(), before=None, limit=9))
    assert store.cancel(first, by=None) is State.CANCELLED
    assert store.delete(second) is None
    assert store.reprioritise(third, 9) is State.QUEUED
    limit(store, 1)
    (taken,) = take_held(store)
    assert (taken.job_id, taken.priority) == (third, 9)


def test_why_says_that_the_tenant_may_run_no_more(store: Store) -> None:
    limit(store, 1)
    jobs = new_jobs(2, tenant=ACME)
    store.enqueue(jobs)
    (taken,) = claim(store)
    facts = store.facts(jobs[1].id)
    assert facts is not None
    assert (facts.tenant_limit, facts.tenant_running) == (1, 1)
    why = explain(facts)
    assert "tenant_full" in {why.reason, *(cause.reason for cause in why.also)}
    end(store, [taken])
    facts = store.facts(jobs[1].id)
    assert facts is not None
    assert facts.tenant_running == 0
