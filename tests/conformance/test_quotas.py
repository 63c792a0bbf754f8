"""A tenant with quotas enqueues no more than they allow; all others notice nothing."""

from __future__ import annotations

import contextlib
from datetime import timedelta
from typing import TYPE_CHECKING, Any

import pytest
from msgspec import structs

from leasehold.errors import IdConflict, QuotaExceeded
from leasehold.model.batches import NewBatch
from leasehold.model.keys import Unique, Verdict
from leasehold.model.needs import Needs
from leasehold.model.quotas import QuotaChange
from leasehold.model.schedules import Firing, NewSchedule
from leasehold.model.states import State
from tests.conformance.kit import (
    GREET,
    HOST,
    STRANGE,
    claim,
    enqueue_one,
    look,
    make_batch,
    new_id,
    new_job,
    new_jobs,
    pass_time,
    raw,
    settle,
    start_one,
)

if TYPE_CHECKING:
    from collections.abc import Iterator

    from leasehold.store.base import Store
    from tests.conformance.tables import Tables

ACME = "acme"


@contextlib.contextmanager
def refused(quota: str = "waiting") -> Iterator[pytest.ExceptionInfo[QuotaExceeded]]:
    with pytest.raises(QuotaExceeded) as told:
        yield told
    assert (told.value.tenant, told.value.quota) == (ACME, quota)


def limit(store: Store, **quotas: Any) -> None:
    store.set_quota(ACME, QuotaChange(**quotas))


def waiting(store: Store) -> int:
    return next(each.waiting for each in store.quotas() if each.tenant == ACME)


SORTS: dict[str, dict[str, Any]] = {
    "plain": {},
    "later": {"delay_seconds": 3600.0},
    "in a lane": {"lane": HOST},
    "with a share": {"lane": "", "share": "ada"},
    "after another": {"needs": True},
    "with a key": {"unique": True},
    "of a batch": {"batch": True},
}


def make(store: Store, sort: str, count: int) -> list[Any]:
    options = dict(SORTS[sort])
    if options.pop("needs", False):
        options["needs"] = Needs(jobs=(enqueue_one(store),))
    if options.pop("batch", False):
        options["batch"] = make_batch(store, tenant=ACME)
    has_key = options.pop("unique", False)
    jobs = new_jobs(count, tenant=ACME, **options)
    if not has_key:
        return jobs
    return [structs.replace(job, unique=Unique(key=str(job.id))) for job in jobs]


@pytest.mark.parametrize("sort", SORTS)
def test_no_more_wait_than_may_whatever_they_wait_for(store: Store, sort: str) -> None:
    limit(store, waiting=3)
    for job in make(store, sort, 3):
        store.enqueue([job])
    with refused() as told:
        store.enqueue(make(store, sort, 1))
    assert (told.value.limit, told.value.retry_after) == (3, None)
    assert waiting(store) == 3


@pytest.mark.parametrize("sort", SORTS)
def test_many_at_once_come_all_or_none(store: Store, sort: str) -> None:
    limit(store, waiting=3)
    too_many = make(store, sort, 4)
    with refused():
        store.enqueue(too_many)
    assert waiting(store) == 0
    assert all(store.get(job.id) is None for job in too_many)
    store.enqueue(make(store, sort, 3))
    with refused():
        store.enqueue(make(store, sort, 1))


def test_others_are_not_concerned(store: Store) -> None:
    limit(store, waiting=0, rate=1e-6, burst=1.0)
    for tenant in ("", "other"):
        store.enqueue(new_jobs(3, tenant=tenant))
        store.enqueue([new_job(tenant=tenant)])
    with refused():
        store.enqueue(new_jobs(2, tenant="other") + new_jobs(2, tenant=ACME))
    assert [each.ready for each in store.counts()] == [8]


def test_what_runs_or_has_ended_leaves_room(store: Store) -> None:
    limit(store, waiting=2)
    store.enqueue(new_jobs(2, tenant=ACME))
    (taken,) = claim(store, limit=1)
    enqueue_one(store, tenant=ACME)
    with refused():
        enqueue_one(store, tenant=ACME)
    settle(store, taken, "succeeded")
    with refused():
        enqueue_one(store, tenant=ACME)
    assert len(claim(store)) == 2
    store.enqueue(new_jobs(2, tenant=ACME))


def test_what_waits_already_counts_when_a_quota_is_set_or_lowered(store: Store) -> None:
    store.enqueue(new_jobs(3, tenant=ACME))
    limit(store, waiting=4)
    enqueue_one(store, tenant=ACME)
    with refused():
        enqueue_one(store, tenant=ACME)
    limit(store, waiting=5)
    enqueue_one(store, tenant=ACME)
    limit(store, waiting=1)
    with refused():
        enqueue_one(store, tenant=ACME)
    limit(store, waiting=None)
    enqueue_one(store, tenant=ACME)


def test_a_job_that_stands_there_already_needs_no_quota(store: Store) -> None:
    limit(store, waiting=2)
    jobs = new_jobs(2, tenant=ACME)
    store.enqueue(jobs)
    assert store.enqueue(jobs[:1])[jobs[0].id].verdict is Verdict.SAME
    assert {each.verdict for each in store.enqueue(jobs).values()} == {Verdict.SAME}
    with refused():
        store.enqueue([*jobs, new_job(tenant=ACME)])
    with pytest.raises(IdConflict):
        store.enqueue([new_job(id=jobs[0].id, tenant=ACME, args=raw({"name": "Bob"}))])


def test_a_key_that_is_held_needs_no_quota_either(store: Store) -> None:
    limit(store, waiting=1)
    store.enqueue([new_job(tenant=ACME, unique=Unique(key="k"))])
    again = new_job(tenant=ACME, unique=Unique(key="k"))
    assert store.enqueue([again])[again.id].verdict is Verdict.LIVE
    with refused():
        store.enqueue([new_job(tenant=ACME, unique=Unique(key="other"))])


def test_a_job_that_replaces_another_takes_its_place(store: Store) -> None:
    limit(store, waiting=1)
    first = new_job(tenant=ACME, unique=Unique(key="k"))
    store.enqueue([first])
    second = new_job(tenant=ACME, unique=Unique(key="k", mode="replace"))
    assert store.enqueue([second])[second.id].verdict is Verdict.REPLACED
    assert look(store, first.id).state is State.CANCELLED


def test_a_batch_that_does_not_fit_is_not_started(store: Store) -> None:
    limit(store, waiting=1)
    batch = NewBatch(id=new_id(), tenant=ACME)
    with refused():
        store.start_batch(batch, new_jobs(2, tenant=ACME, batch=batch.id))
    assert store.get_batch(batch.id) is None


def test_a_callback_is_made_though_the_quota_is_used_up(store: Store) -> None:
    limit(store, waiting=1)
    taken = start_one(store, tenant=ACME, on_end=raw({"kind": STRANGE, "tenant": ACME}))
    enqueue_one(store, tenant=ACME)
    assert settle(store, taken, "succeeded") == "settled"
    assert waiting(store) == 2
    with refused():
        enqueue_one(store, tenant=ACME)


def test_a_rate_lets_so_many_come_and_then_says_when(store: Store) -> None:
    limit(store, rate=0.5, burst=3.0)
    store.enqueue(new_jobs(2, tenant=ACME))
    enqueue_one(store, tenant=ACME)
    with refused("rate") as told:
        enqueue_one(store, tenant=ACME)
    assert told.value.limit == 3.0
    assert told.value.retry_after == pytest.approx(2.0, abs=0.5)
    pass_time(store, 2.1)
    enqueue_one(store, tenant=ACME)
    with refused("rate"):
        enqueue_one(store, tenant=ACME)
    pass_time(store, 600)
    store.enqueue(new_jobs(3, tenant=ACME))
    with refused("rate"):
        enqueue_one(store, tenant=ACME)


def test_more_than_a_rate_allows_at_once_need_a_rest_before_and_after(store: Store) -> None:
    limit(store, rate=1.0, burst=2.0)
    store.enqueue(new_jobs(10, tenant=ACME))
    pass_time(store, 8)
    with refused("rate"):
        enqueue_one(store, tenant=ACME)
    pass_time(store, 3)
    enqueue_one(store, tenant=ACME)


def test_a_slot_whose_job_is_refused_is_left_out(store: Store, tables: Tables) -> None:
    limit(store, waiting=0)
    slot = store.now() - timedelta(seconds=1)
    following = slot + timedelta(minutes=1)
    schedule = NewSchedule(name="s", tenant=ACME, rule="every 60s", job={"kind": GREET, "args": {}})
    store.put_schedule(schedule, next_at=slot, by="ada", seen=None)
    (seen,) = store.schedules()
    firing = Firing(
        name="s",
        tenant=ACME,
        version=seen.version,
        next_at=seen.next_at,
        following=following,
        slot=seen.next_at,
        jobs=[new_job(tenant=ACME)],
    )
    assert store.fire(firing)
    (moved,) = store.schedules()
    assert (moved.last_job, moved.last_fired_at) == (None, None)
    assert moved.next_at is not None
    assert abs(moved.next_at - following) < timedelta(milliseconds=1)
    assert tables.rows("job") == []
    with refused():
        store.fire(structs.replace(firing, next_at=moved.next_at, is_by_hand=True))


def test_quotas_are_shown_with_how_far_they_are_used_up(store: Store) -> None:
    assert store.quotas() == []
    limit(store, waiting=10, running=3, rate=2.0, burst=120.0, by="ada")
    store.enqueue(new_jobs(4, tenant=ACME))
    (shown,) = store.quotas()
    assert (shown.waiting_limit, shown.running_limit, shown.rate, shown.burst) == (
        10,
        3,
        2.0,
        120.0,
    )
    assert (shown.waiting, shown.running, shown.set_by) == (4, 0, "ada")
    assert shown.tokens == pytest.approx(116, abs=3)
    limit(store, waiting=None)
    (shown,) = store.quotas()
    assert (shown.waiting_limit, shown.running_limit, shown.rate) == (None, 3, 2.0)
    assert store.remove_quota(ACME)
    assert not store.remove_quota(ACME)
    assert store.quotas() == []
