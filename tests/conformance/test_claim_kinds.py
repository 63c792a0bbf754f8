"""Unknown kinds wait parked for a worker that knows them; suspects come only when asked for."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from leasehold.model.states import State
from leasehold.model.values import Want
from tests.conformance.kit import (
    GREET,
    LEASE_SECONDS,
    OTHER,
    STRANGE,
    WORKER,
    Place,
    bring,
    claim,
    claim_one,
    enqueue_one,
    fail,
    lapse,
    look,
    new_jobs,
    promote,
    settle,
    start_many,
    start_one,
    start_suspect,
)
from tests.conformance.tables import places

if TYPE_CHECKING:
    from leasehold.model.ids import JobId
    from leasehold.model.values import Claim
    from leasehold.store.base import Store
    from tests.conformance.tables import Tables


def claim_parked(store: Store, *, limit: int = 100, queue: str = "default") -> list[Claim]:
    return store.claim_parked(
        OTHER, [Want(queue, limit)], limit=limit, leases={STRANGE: LEASE_SECONDS}
    )


def make_suspect(store: Store) -> JobId:
    taken = start_one(store)
    lapse(store)
    promote(store)
    return taken.job_id


def test_a_job_of_an_unknown_kind_is_parked_and_stays_queued(store: Store, tables: Tables) -> None:
    job_id, _ = bring(store, Place.PARKED)

    assert places(tables, job_id) == ["parked"]
    job = look(store, job_id)
    assert (job.state, job.attempt, job.failures) == (State.QUEUED, 0, 0)
    assert store.parked_kinds() == {STRANGE: 1}


def test_unknown_kinds_do_not_keep_known_jobs_from_being_claimed(store: Store) -> None:
    store.enqueue(new_jobs(25, kind=STRANGE, priority=5))
    known = enqueue_one(store)

    taken = [lease for _ in range(26) for lease in claim(store, limit=1)]
    assert [lease.job_id for lease in taken] == [known]


def test_a_worker_that_knows_no_kind_at_all_takes_nothing(store: Store) -> None:
    enqueue_one(store)
    assert store.claim(WORKER, [Want("default", 5)], limit=5, leases={}) == []


def test_parked_jobs_are_claimed_by_a_worker_that_knows_them(store: Store, tables: Tables) -> None:
    job_id, _ = bring(store, Place.PARKED)

    (taken,) = claim_parked(store)
    assert (taken.job_id, taken.kind, taken.attempt) == (job_id, STRANGE, 1)
    assert places(tables, job_id) == ["lease"]
    assert look(store, job_id).worker == OTHER
    assert settle(store, taken, "succeeded", worker=OTHER) == "settled"


def test_parked_jobs_come_in_the_order_of_claims(store: Store) -> None:
    plain, urgent = new_jobs(3, kind=STRANGE), new_jobs(2, kind=STRANGE, priority=9)
    store.enqueue([*plain, *urgent])
    claim(store)

    taken = [*claim_parked(store, limit=2), *claim_parked(store, limit=2), *claim_parked(store)]
    assert [lease.job_id for lease in taken] == [job.id for job in (*urgent, *plain)]


def test_parked_jobs_come_in_the_order_of_wants_and_within_their_limits(store: Store) -> None:
    jobs = {
        (queue, kind): new_jobs(2, queue=queue, kind=kind, priority=priority)
        for queue in ("a", "b")
        for kind, priority in (("x", 0), ("y", 5))
    }
    store.enqueue([job for some in jobs.values() for job in some])
    claim(store, queues=["a", "b"])

    wants = [Want("b", 3), Want("a", 9)]
    taken = store.claim_parked(OTHER, wants, limit=5, leases={"x": 60.0, "y": 60.0})
    wanted = [*jobs["b", "y"], jobs["b", "x"][0], *jobs["a", "y"]]
    assert [lease.job_id for lease in taken] == [job.id for job in wanted]


def test_parked_jobs_of_other_kinds_and_queues_stay_parked(store: Store, tables: Tables) -> None:
    alien, _ = bring(store, Place.PARKED, kind="alien")
    elsewhere, _ = bring(store, Place.PARKED, queue="elsewhere")

    assert claim_parked(store) == []
    assert places(tables, alien) == places(tables, elsewhere) == ["parked"]


def test_a_parked_job_is_not_claimed_out_of_ready(store: Store) -> None:
    bring(store, Place.PARKED)
    assert claim(store, kinds=[STRANGE, GREET]) == []


def test_a_parked_job_keeps_its_failures(store: Store) -> None:
    taken = start_one(store)
    fail(store, taken)
    promote(store)
    assert claim(store, kinds=["other"]) == []

    (again,) = store.claim_parked(OTHER, [Want("default", 5)], limit=5, leases={GREET: 60.0})
    assert (again.job_id, again.attempt, again.failures) == (taken.job_id, 2, 1)


def test_a_parked_suspect_is_claimed_alone_after_the_innocent(store: Store) -> None:
    suspects = [make_suspect(store) for _ in range(2)]
    innocent = enqueue_one(store)
    claim(store, kinds=["other"])
    claim(store, kinds=["other"], suspects=True)

    def parked() -> list[JobId]:
        known = {GREET: LEASE_SECONDS}
        taken = store.claim_parked(OTHER, [Want("default", 9)], limit=9, leases=known)
        return [lease.job_id for lease in taken]

    assert parked() == [innocent]
    assert [parked(), parked()] == [[job_id] for job_id in suspects]


def test_parked_kinds_are_counted_by_kind(store: Store) -> None:
    store.enqueue([*new_jobs(2, kind="a"), *new_jobs(3, kind="b"), *new_jobs(1)])
    claim(store)

    assert store.parked_kinds() == {"a": 2, "b": 3}


def test_a_suspect_comes_only_when_asked_for(store: Store) -> None:
    suspect = make_suspect(store)

    assert claim(store) == []
    taken = claim_one(store, suspects=True, limit=1)
    assert (taken.job_id, taken.lapses, taken.failures) == (suspect, 1, 0)


def test_a_suspect_comes_without_innocent_jobs(store: Store) -> None:
    suspect = make_suspect(store)
    store.enqueue(new_jobs(5, priority=9))

    assert [taken.job_id for taken in claim(store, suspects=True)] == [suspect]
    assert len(claim(store)) == 5


def test_one_suspect_at_a_time_when_one_is_asked_for(store: Store) -> None:
    start_many(store, 3)
    lapse(store)
    promote(store)

    assert len(claim(store, suspects=True, limit=1)) == 1


def test_no_suspects_means_an_empty_answer(store: Store) -> None:
    enqueue_one(store)
    assert claim(store, suspects=True) == []


def test_a_suspect_handed_back_is_still_a_suspect(store: Store) -> None:
    taken = start_suspect(store)
    settle(store, taken, "released")

    assert claim(store) == []
    assert claim_one(store, suspects=True).lapses == 1


@pytest.mark.parametrize("end", ["failed", "snoozed"])
def test_a_suspect_that_ran_to_an_end_is_none_any_more(store: Store, end: str) -> None:
    taken = start_suspect(store)
    settle(store, taken, end, delay_seconds=0.0, error="x", is_counted=end == "failed")
    promote(store)

    assert claim_one(store).lapses == 0
