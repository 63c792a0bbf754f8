"""A job's callback is made in the transaction of its end, once for each end, whoever ends it."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pytest

from leasehold.errors import BadValue, IdConflict, LeaseLost
from leasehold.model.ids import derive_id
from leasehold.model.keys import Mode, Unique
from leasehold.model.lanes import Rule
from leasehold.model.needs import Needs
from leasehold.model.states import State
from leasehold.store.base import Answer
from tests.conformance.batch_kit import told_of_job
from tests.conformance.key_kit import ask, hand_over
from tests.conformance.kit import (
    HOST,
    LATER_SECONDS,
    RULE,
    WORKER,
    Place,
    bring,
    claim,
    claim_one,
    declare,
    enqueue_one,
    fail,
    held,
    lapse,
    look,
    make_batch,
    new_job,
    promote,
    raw,
    reclaim,
    settle,
    settlement,
    start_suspect,
    take_one,
)

if TYPE_CHECKING:
    from leasehold.model.ids import JobId
    from leasehold.model.values import Job
    from leasehold.store.base import Store
    from tests.conformance.tables import Tables

ON_END = raw({"kind": "after", "queue": "callbacks", "priority": 7})


def callback_of(store: Store, job_id: JobId, attempt: int = 1) -> Job | None:
    return store.get(derive_id(job_id, f"end:{attempt}"))


def check(store: Store, job_id: JobId, state: str, *, attempt: int = 1, error: str | None) -> None:
    """The callback is there, and told how the job ended; there is no other one."""
    job = callback_of(store, job_id, attempt)
    assert job is not None, "no callback"
    assert (job.kind, job.queue, job.priority, job.state) == (
        "after",
        "callbacks",
        7,
        State.QUEUED,
    )
    ended = told_of_job(job)
    assert (ended.job_id, ended.kind, ended.state, ended.attempt) == (
        job_id,
        look(store, job_id).kind,
        state,
        attempt,
    )
    assert ended.error == error
    assert look(store, job_id).state == state
    assert len(claim(store, queues=["callbacks"], kinds=["after"])) == 1


# -- whoever ends it -------------------------------------------------------------------------------
@pytest.mark.parametrize(
    ("outcome", "error"), [("succeeded", None), ("dead", "Boom"), ("cancelled", "no more")]
)
def test_a_finish_makes_it(store: Store, outcome: str, error: str | None) -> None:
    job_id = enqueue_one(store, on_end=ON_END)
    enqueue_one(store)
    taken = claim(store)
    store.finish(
        WORKER,
        [
            settlement(each, outcome if each.job_id == job_id else "succeeded", error=error)
            for each in taken
        ],
    )
    check(store, job_id, outcome, error=error)


@pytest.mark.parametrize("outcome", ["failed", "snoozed", "released"])
def test_an_attempt_that_comes_back_makes_none(store: Store, outcome: str) -> None:
    job_id = enqueue_one(store, on_end=ON_END)
    settle(store, claim_one(store), outcome, delay_seconds=0.0, is_counted=outcome == "failed")
    assert callback_of(store, job_id) is None
    promote(store)
    settle(store, claim_one(store), "succeeded")
    check(store, job_id, "succeeded", attempt=2, error=None)


def test_a_finish_that_comes_too_late_makes_none(store: Store) -> None:
    job_id = enqueue_one(store, on_end=ON_END)
    taken = claim_one(store)
    lapse(store)
    settle(store, taken, "succeeded")
    assert callback_of(store, job_id) is None


def test_a_finish_repeated_makes_no_second_one(store: Store) -> None:
    job_id = enqueue_one(store, on_end=ON_END)
    taken = claim_one(store)
    settle(store, taken, "succeeded")
    settle(store, taken, "succeeded")
    check(store, job_id, "succeeded", error=None)


def test_a_handlers_transaction_makes_it(store: Store) -> None:
    job_id = enqueue_one(store, on_end=ON_END)
    taken = claim_one(store)
    with store.transaction(WORKER, lambda: settlement(taken, "succeeded"), lease_seconds=60):
        assert callback_of(store, job_id) is None
    check(store, job_id, "succeeded", error=None)


def test_a_transaction_that_is_rolled_back_makes_none(store: Store) -> None:
    job_id = enqueue_one(store, on_end=ON_END)
    taken = claim_one(store)
    store.cancel(job_id, by=None)
    with (
        pytest.raises(LeaseLost),
        store.transaction(WORKER, lambda: settlement(taken, "succeeded"), lease_seconds=60),
    ):
        pass
    assert callback_of(store, job_id) is None
    settle(store, taken, "succeeded")
    check(store, job_id, "cancelled", error="cancelled")


def test_the_last_lapse_makes_it(store: Store) -> None:
    job_id = start_suspect(store, max_attempts=1, on_end=ON_END).job_id
    assert callback_of(store, job_id) is None
    assert lapse(store) == {job_id: State.DEAD}
    check(
        store,
        job_id,
        "dead",
        attempt=2,
        error="lapsed: its worker stopped renewing the lease",
    )


def test_the_reclaim_of_a_cancelled_one_makes_it(store: Store) -> None:
    job_id = enqueue_one(store, on_end=ON_END)
    claim_one(store)
    store.cancel(job_id, by="Ada")
    assert lapse(store) == {job_id: State.CANCELLED}
    check(store, job_id, "cancelled", error="cancelled by Ada")
    assert reclaim(store) == {}


def test_handing_back_a_cancelled_one_makes_it(store: Store) -> None:
    job_id = enqueue_one(store, on_end=ON_END)
    claim_one(store)
    store.cancel(job_id, by=None)
    assert store.release_unknown(WORKER, []) == 1
    check(store, job_id, "cancelled", error="cancelled")


@pytest.mark.parametrize("verb", ["cancel", "cancel_many"])
@pytest.mark.parametrize("place", [Place.READY, Place.BLOCKED, Place.SCHEDULED, Place.PARKED])
def test_a_cancel_makes_it_wherever_the_job_waits(store: Store, verb: str, place: Place) -> None:
    job_id, _ = bring(store, place, on_end=ON_END)
    other, _ = bring(store, place, queue="other")
    if verb == "cancel":
        assert store.cancel(job_id, by="Ada") is State.CANCELLED
    else:
        assert set(store.cancel_many([job_id, other], by="Ada")) == {job_id, other}
    check(store, job_id, "cancelled", error="cancelled by Ada")


def test_a_job_that_replaces_it_makes_it(store: Store) -> None:
    replaced = ask(store, on_end=ON_END)
    newer = ask(store, Mode.REPLACE)
    check(store, replaced.id, "cancelled", error=f"replaced by job {newer.id}")


def test_a_hand_over_makes_it(store: Store) -> None:
    first = ask(store, on_end=ON_END)
    taken = claim_one(store)
    newer = ask(store, Mode.REPLACE)
    fail(store, taken, delay_seconds=LATER_SECONDS)  # its next try is not wanted any more
    assert hand_over(store) == 1
    check(store, first.id, "cancelled", attempt=2, error=f"replaced by job {newer.id}")


def test_a_job_that_waits_in_vain_makes_it(store: Store) -> None:
    first = enqueue_one(store)
    second = enqueue_one(store, needs=Needs(jobs=(first,)), on_end=ON_END)
    settle(store, claim_one(store), "dead")
    assert store.release_dependents([first]).cancelled == (second,)
    job = callback_of(store, second)
    assert told_of_job(job).state == "cancelled"
    assert look(store, second).error == told_of_job(job).error


# -- once for each end -----------------------------------------------------------------------------
def test_a_retry_by_hand_ends_with_another_one(store: Store) -> None:
    job_id = enqueue_one(store, on_end=ON_END)
    settle(store, claim_one(store), "dead", error="Boom")
    check(store, job_id, "dead", error="Boom")
    store.retry(job_id)
    settle(store, claim_one(store), "succeeded")
    check(store, job_id, "succeeded", attempt=2, error=None)


def test_many_that_are_retried_end_with_another_one_each(store: Store) -> None:
    jobs = [enqueue_one(store, on_end=ON_END) for _ in range(3)]
    store.cancel_many(jobs, by=None)
    assert len(claim(store, queues=["callbacks"], kinds=["after"])) == 3
    assert set(store.retry_many(jobs)) == set(jobs)
    for each in claim(store):
        settle(store, each, "succeeded")
    assert len(claim(store, queues=["callbacks"], kinds=["after"])) == 3


@pytest.mark.parametrize("verb", ["delete", "delete_many"])
def test_a_job_that_is_deleted_makes_none(store: Store, tables: Tables, verb: str) -> None:
    job_id = enqueue_one(store, on_end=ON_END)
    if verb == "delete":
        store.delete(job_id)
    else:
        store.delete_many([job_id])
    assert callback_of(store, job_id) is None
    assert tables.rows("callback") == []


def test_the_same_job_enqueued_again_is_not_marked_again(store: Store, tables: Tables) -> None:
    job = new_job(on_end=ON_END)
    store.enqueue([job])
    settle(store, claim_one(store), "succeeded")
    store.enqueue([job, new_job()])
    assert tables.rows("callback") == []


@pytest.mark.parametrize("how", ["finish", "lapse", "cancel", "cancel many"])
def test_a_deleted_job_made_anew_under_its_id_ends_and_calls_back_again(
    store: Store, how: str
) -> None:
    job = new_job(on_end=ON_END, max_attempts=1)
    store.enqueue([job])
    settle(store, claim_one(store), "succeeded")
    store.delete(job.id)
    store.enqueue([job])
    if how == "finish":
        assert settle(store, claim_one(store), "dead", error="Boom") is Answer.SETTLED
    elif how == "lapse":
        claim_one(store)
        store.cancel(job.id, by=None)
        assert lapse(store) == {job.id: State.CANCELLED}
    elif how == "cancel":
        assert store.cancel(job.id, by=None) is State.CANCELLED
    else:
        assert store.cancel_many([job.id], by=None) == {job.id: State.CANCELLED}
    made = claim(store, queues=["callbacks"], kinds=["after"])
    ends = [told_of_job(look(store, each.job_id)) for each in made]
    assert [(each.job_id, each.state) for each in ends] == [
        (job.id, State.SUCCEEDED),
        (job.id, look(store, job.id).state),
    ]


def test_an_enqueue_that_is_refused_leaves_no_mark(store: Store, tables: Tables) -> None:
    known = enqueue_one(store)
    with pytest.raises(IdConflict):
        store.enqueue([new_job(on_end=ON_END), new_job(id=known, args=raw({"other": 1}))])
    assert tables.rows("callback") == []


# -- what it is ------------------------------------------------------------------------------------
def test_it_is_told_of_tenant_and_batch(store: Store) -> None:
    batch = make_batch(store, tenant="acme")
    job_id = enqueue_one(store, on_end=ON_END, tenant="acme", batch=batch)
    settle(store, claim_one(store), "succeeded")
    ended = told_of_job(callback_of(store, job_id))
    assert (ended.tenant, ended.batch) == ("acme", batch)


@pytest.mark.parametrize(
    "said", [{"delay_seconds": 60.0}, {"lane": HOST}, {"on_end": {"kind": "last"}}], ids=str
)
def test_it_has_the_options_that_were_asked_for(store: Store, said: dict[str, Any]) -> None:
    declare(store, Rule(name=RULE, running=1))
    job_id = enqueue_one(store, on_end=raw({"kind": "after"} | said))
    settle(store, claim_one(store), "succeeded")
    job = callback_of(store, job_id)
    assert job is not None
    if "lane" in said:
        assert take_one(store, kinds=["after"]).job_id == job.id
    elif "delay_seconds" in said:
        assert job.run_at is not None
        assert claim(store, kinds=["after"]) == []
    else:
        settle(store, claim_one(store, kinds=["after"]), "succeeded")
        assert callback_of(store, job.id) is not None


def test_it_comes_with_jobs_that_have_keys_too(store: Store) -> None:
    job_id = enqueue_one(store, on_end=ON_END, unique=Unique(key="k"))
    settle(store, claim_one(store), "succeeded")
    check(store, job_id, "succeeded", error=None)


def test_what_can_not_be_a_job_is_refused(store: Store) -> None:
    if store.url.startswith("sqlite"):
        return  # there is no SQL API: documents are made by our own code
    for wrong in ({}, {"kind": ""}, {"kind": "a", "id": "1"}, {"kind": "a", "batch": "1"}):
        with pytest.raises(BadValue, match="on_end"):
            store.enqueue([new_job(on_end=raw(wrong))])


def test_a_lost_lease_of_many_is_no_matter_to_the_others(store: Store) -> None:
    jobs = [enqueue_one(store, on_end=ON_END) for _ in range(2)]
    taken = claim(store)
    lost, kept = taken
    store.release_unknown(WORKER, [held(kept)])
    store.finish(WORKER, [settlement(each, "succeeded") for each in taken])
    assert callback_of(store, lost.job_id) is None
    assert callback_of(store, kept.job_id) is not None
    assert set(jobs) == {lost.job_id, kept.job_id}
