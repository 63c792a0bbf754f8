"""Batches: who may add to one, what it counts, and that it ends once, after its last member."""

from __future__ import annotations

import itertools
from typing import TYPE_CHECKING, Any

import pytest

from leasehold.errors import BatchNotFound, BatchSealed
from leasehold.model.batches import (
    Adder,
    BatchFilter,
    BatchInfo,
    BatchStatus,
    NewBatch,
    status_of,
)
from leasehold.model.ids import Fence, JobId
from leasehold.model.keys import Unique
from leasehold.model.states import State
from tests.conformance.batch_kit import (
    DONE,
    ON_END,
    ON_FAILURE,
    batch_of,
    callback_of,
    callbacks,
    counts,
    end,
    info,
    run,
    told,
)
from tests.conformance.kit import (
    HOST,
    STATE_OF,
    Place,
    bring,
    claim,
    claim_one,
    enqueue_one,
    fail,
    lapse,
    look,
    make_batch,
    new_id,
    new_job,
    new_jobs,
    promote,
    raw,
    settle,
)

if TYPE_CHECKING:
    from leasehold.store.base import Store
    from tests.conformance.tables import Tables


# -- a batch ---------------------------------------------------------------------------------------
def test_a_new_batch_is_open_and_keeps_what_was_said(store: Store) -> None:
    parent = make_batch(store, tenant="acme")
    batch = make_batch(
        store,
        tenant="acme",
        name="sync",
        parent=parent,
        meta=raw({"app": "shop", "modes": ["full"]}),
        created_by="Ada",
    )
    found = info(store, batch)
    assert (found.id, found.tenant, found.name, found.parent) == (batch, "acme", "sync", parent)
    assert (found.meta, found.created_by) == ({"app": "shop", "modes": ["full"]}, "Ada")
    assert (found.status, found.round, counts(store, batch)) == (BatchStatus.OPEN, 1, {})
    assert (found.processed, found.total_units) == (None, None)
    assert found.sealed_at is found.failed_at is found.cancelled_at is found.ended_at is None
    assert found.created_at.tzinfo is not None


def test_the_same_id_again_is_the_same_batch(store: Store) -> None:
    batch = NewBatch(id=new_id(), name="first")
    store.create_batch(batch)
    store.seal_batch(batch.id)
    store.create_batch(NewBatch(id=batch.id, name="second"))
    assert info(store, batch.id).name == "first"
    assert info(store, batch.id).status is BatchStatus.SEALED


def test_no_such_batch(store: Store) -> None:
    unknown = new_id()
    assert store.get_batch(unknown) is None
    assert store.seal_batch(unknown) is None
    assert store.cancel_batch(unknown, by=None) is None
    assert store.reopen_batch(unknown) is None


def test_batches_are_listed_newest_first_and_filtered(store: Store) -> None:
    made = [make_batch(store, name=f"n{number % 2}") for number in range(5)]
    nested = make_batch(store, parent=made[0])
    foreign = make_batch(store, tenant="acme")
    store.seal_batch(made[1])

    def find(before: JobId | None = None, limit: int = 100, **where: Any) -> list[JobId]:
        found = store.find_batches(BatchFilter(**where), before=before, limit=limit)
        return [each.id for each in found]

    every = sorted([*made, nested, foreign], reverse=True)
    assert find() == every
    assert find(limit=2, before=every[1]) == every[2:4]
    assert find(name="n1") == sorted([made[1], made[3]], reverse=True)
    assert find(tenant="acme") == [foreign]
    assert find(parent=made[0]) == [nested]
    assert find(status=BatchStatus.SEALED) == [made[1]]
    still_open = [nested, *(each for each in made if each != made[1])]
    assert find(status=BatchStatus.OPEN, tenant="", limit=1) == [max(still_open)]


@pytest.mark.parametrize("flags", list(itertools.product([False, True], repeat=3)))
def test_the_status_is_that_of_the_model(
    store: Store, tables: Tables, flags: tuple[bool, bool, bool]
) -> None:
    batch = make_batch(store)
    name = "leasehold_batch" if store.url.startswith("sqlite") else "leasehold.batch"
    for column, is_set in zip(("sealed_at", "cancelled_at", "ended_at"), flags, strict=True):
        tables.execute(
            f"UPDATE {name} SET {column} = {'created_at' if is_set else 'NULL'}"  # noqa: S608
        )
    is_sealed, is_cancelled, is_ended = flags
    expected = status_of(is_sealed=is_sealed, is_cancelled=is_cancelled, is_ended=is_ended)
    assert info(store, batch).status is expected
    assert expected.is_final is is_ended


# -- members ---------------------------------------------------------------------------------------
def test_a_claim_knows_its_batch(store: Store) -> None:
    batch = make_batch(store)
    enqueue_one(store, batch=batch)
    assert claim_one(store).batch == batch
    alone = enqueue_one(store)
    taken = claim_one(store)
    assert (taken.job_id, taken.batch) == (alone, None)


@pytest.mark.parametrize("place", list(Place))
def test_every_member_is_counted_by_its_state(store: Store, place: Place) -> None:
    batch = make_batch(store)
    bring(store, place)
    bring(store, place, batch=batch)
    assert counts(store, batch) == {"total": 1, STATE_OF[place]: 1}


def test_a_member_that_waits_for_its_lane_is_blocked(store: Store) -> None:
    batch = make_batch(store)
    enqueue_one(store, batch=batch, lane=HOST)
    enqueue_one(store, batch=batch, share="Ada", lane="")
    assert counts(store, batch) == {"total": 2, "blocked": 1, "queued": 1}


@pytest.mark.parametrize("unique", [None, Unique(key="k")])
def test_a_batch_that_does_not_exist_takes_no_job(store: Store, unique: Unique | None) -> None:
    unknown = new_id()
    with pytest.raises(BatchNotFound) as caught:
        store.enqueue([new_job(), new_job(batch=unknown, unique=unique)])
    assert caught.value.batch_id == unknown
    assert claim(store) == []  # all or none


def test_another_tenants_batch_is_not_found(store: Store) -> None:
    batch = make_batch(store, tenant="acme")
    with pytest.raises(BatchNotFound):
        store.enqueue([new_job(batch=batch)])
    with pytest.raises(BatchNotFound):
        make_batch(store, parent=batch)
    store.enqueue([new_job(batch=batch, tenant="acme")])
    assert counts(store, batch) == {"total": 1, "queued": 1}


@pytest.mark.parametrize("unique", [None, Unique(key="k")])
def test_a_sealed_batch_takes_no_job(store: Store, unique: Unique | None) -> None:
    batch, _ = batch_of(store, 1)
    assert store.seal_batch(batch) is BatchStatus.SEALED
    with pytest.raises(BatchSealed) as caught:
        store.enqueue([new_job(batch=batch, unique=unique)])
    assert (caught.value.batch_id, caught.value.status) == (batch, "sealed")
    assert counts(store, batch) == {"total": 1, "queued": 1}
    with pytest.raises(BatchSealed):
        make_batch(store, parent=batch)


def test_an_enqueue_repeated_after_the_seal_is_the_same_job(store: Store) -> None:
    batch = make_batch(store)
    jobs = new_jobs(2, batch=batch)
    store.enqueue(jobs)
    store.seal_batch(batch)
    assert set(store.enqueue(jobs)) == {job.id for job in jobs}
    with pytest.raises(BatchSealed):
        store.enqueue([*jobs, new_job(batch=batch)])


def test_a_running_member_adds_to_its_sealed_batch(store: Store) -> None:
    batch, _ = batch_of(store, 1)
    taken = claim_one(store)
    store.seal_batch(batch)
    adder = Adder(taken.job_id, taken.fence)
    store.enqueue([new_job(batch=batch, adder=adder), new_job(batch=batch, adder=adder)])
    nested = make_batch(store, parent=batch, adder=adder)
    assert counts(store, batch) == {"total": 3, "running": 1, "queued": 2}

    run(store)
    settle(store, taken, "succeeded")
    store.seal_batch(nested)
    assert set(store.follow_batches([nested]).batches) == {nested, batch}


@pytest.mark.parametrize("how", ["ended", "another fence", "of another batch", "of no batch"])
def test_who_does_not_run_in_a_sealed_batch_adds_nothing(store: Store, how: str) -> None:
    batch, _ = batch_of(store, 2)
    other = make_batch(store)
    taken, *_ = claim(store, limit=1)
    adder = Adder(taken.job_id, taken.fence)
    if how == "ended":
        settle(store, taken, "succeeded")
    elif how == "another fence":
        adder = Adder(taken.job_id, Fence(taken.fence + 1))
    else:
        enqueue_one(store, queue="q", batch=other if how == "of another batch" else None)
        stranger = claim_one(store, queues=["q"])
        adder = Adder(stranger.job_id, stranger.fence)
    store.seal_batch(batch)
    with pytest.raises(BatchSealed):
        store.enqueue([new_job(batch=batch, adder=adder)])


# -- the end ---------------------------------------------------------------------------------------
def test_a_batch_ends_after_its_last_member_with_one_callback(store: Store) -> None:
    batch, members = batch_of(store, 3, name="import", meta=raw({"app": "shop"}), tenant="")
    store.seal_batch(batch)
    first, *rest = claim(store)
    settle(store, first, "succeeded")
    assert not end(store, first.job_id).is_any
    for each in rest:
        settle(store, each, "succeeded")

    followed = end(store, *members)
    assert followed.batches == (batch,)
    assert followed.arrivals == {"callbacks": 1}
    assert info(store, batch).status is BatchStatus.ENDED
    job = callback_of(store, batch)
    assert job is not None
    assert (job.kind, job.queue, job.state) == (DONE, "callbacks", State.QUEUED)
    ended = told(job)
    assert (ended.batch, ended.name, ended.meta) == (batch, "import", {"app": "shop"})
    assert (ended.total, ended.succeeded, ended.dead, ended.cancelled) == (3, 3, 0, 0)
    assert (ended.round, ended.is_success, ended.is_cancelled) == (1, True, False)

    assert not end(store, *members).is_any
    assert not store.sweep(after=None, limit=10, is_thorough=True).is_any
    assert len(callbacks(store)) == 1


def test_an_open_batch_does_not_end(store: Store) -> None:
    batch, members = batch_of(store, 1)
    run(store)
    assert not end(store, *members).is_any
    store.seal_batch(batch)
    assert store.follow_batches([batch]).batches == (batch,)


def test_an_empty_batch_ends_when_it_is_sealed(store: Store) -> None:
    batch, _ = batch_of(store)
    store.seal_batch(batch)
    assert store.follow_batches([batch]).batches == (batch,)
    assert told(callback_of(store, batch)).total == 0


@pytest.mark.parametrize(
    "place", [place for place in Place if not STATE_OF[place].is_final], ids=str
)
def test_one_live_member_keeps_its_batch_from_ending(store: Store, place: Place) -> None:
    batch = make_batch(store, on_end=ON_END)
    done, _ = bring(store, Place.SUCCEEDED, batch=batch)
    bring(store, place, batch=batch)
    store.seal_batch(batch)
    assert not end(store, done).is_any
    assert not store.sweep(after=None, limit=10, is_thorough=True).is_any
    assert info(store, batch).status is BatchStatus.SEALED


@pytest.mark.parametrize("place", [Place.SUCCEEDED, Place.DEAD, Place.CANCELLED])
def test_members_end_it_however_they_ended(store: Store, place: Place) -> None:
    batch = make_batch(store, on_end=ON_END)
    done, _ = bring(store, place, batch=batch)
    store.seal_batch(batch)
    assert end(store, done).batches == (batch,)
    ended = told(callback_of(store, batch))
    assert {place: 1, "total": 1}.items() <= {
        "total": ended.total,
        "succeeded": ended.succeeded,
        "dead": ended.dead,
        "cancelled": ended.cancelled,
    }.items()
    assert ended.is_success is (place is Place.SUCCEEDED)


def test_a_member_that_comes_back_is_waited_for(store: Store) -> None:
    batch, (member,) = batch_of(store, 1)
    store.seal_batch(batch)
    fail(store, claim_one(store), delay_seconds=0.0)
    assert not end(store, member).is_any
    promote(store)
    claim_one(store)
    lapse(store)
    assert not end(store, member).is_any
    promote(store)
    settle(store, claim_one(store, suspects=True), "succeeded")
    assert end(store, member).batches == (batch,)


def test_a_sweep_ends_what_nobody_followed_up(store: Store) -> None:
    batches = sorted(batch_of(store, 1)[0] for _ in range(3))
    run(store)
    for batch in batches:
        store.seal_batch(batch)
    swept = store.sweep(after=None, limit=2, is_thorough=False)
    assert (set(swept.batches), swept.swept_to) == (set(batches[:2]), batches[1])
    swept = store.sweep(after=swept.swept_to, limit=2, is_thorough=False)
    assert (swept.batches, swept.swept_to) == ((batches[2],), None)
    assert len(callbacks(store)) == 3


def test_a_batch_whose_last_waiting_member_is_deleted_is_ended_by_a_sweep(store: Store) -> None:
    batch, (member,) = batch_of(store, 1)
    store.seal_batch(batch)
    store.delete(member)
    assert store.sweep(after=None, limit=10, is_thorough=False).batches == (batch,)


def test_a_batch_without_a_callback_ends_too(store: Store) -> None:
    batch = make_batch(store)
    member = enqueue_one(store, batch=batch)
    store.seal_batch(batch)
    run(store)
    followed = end(store, member)
    assert (followed.batches, followed.arrivals) == ((batch,), {})


# -- nested ----------------------------------------------------------------------------------------
def test_a_parent_ends_after_what_is_nested_in_it(store: Store) -> None:
    top, _ = batch_of(store, 1)
    middle, _ = batch_of(store, 0, parent=top)
    bottom, (last,) = batch_of(store, 1, parent=middle)
    for batch in (top, middle, bottom):
        store.seal_batch(batch)
    first = claim(store)
    for each in first:
        if each.job_id != last:
            settle(store, each, "succeeded")
            assert not end(store, each.job_id).is_any
    settle(store, next(each for each in first if each.job_id == last), "succeeded")
    assert end(store, last).batches == (bottom, middle, top)
    assert len(callbacks(store)) == 3


# -- the first failure -----------------------------------------------------------------------------
def test_the_first_dead_member_is_told_once_while_others_go_on(store: Store) -> None:
    batch, members = batch_of(store, 3, on_failure=ON_FAILURE)
    first, second, third = claim(store)
    settle(store, first, "succeeded")
    assert not end(store, first.job_id).is_any
    settle(store, second, "dead", error="Boom")
    followed = end(store, second.job_id)
    assert (followed.failures, followed.batches) == ((batch,), ())
    assert info(store, batch).failed_at is not None
    job = callback_of(store, batch, "failure")
    assert (told(job).dead, told(job).total) == (1, 3)
    settle(store, third, "dead", error="Boom")
    assert not end(store, third.job_id).is_any
    store.seal_batch(batch)
    assert end(store, *members).batches == (batch,)
    assert len(callbacks(store)) == 2


def test_a_death_that_nobody_followed_up_is_found_by_a_thorough_sweep(store: Store) -> None:
    batch, _ = batch_of(store, 2, on_failure=ON_FAILURE)
    settle(store, claim(store, limit=1)[0], "dead")
    assert not store.sweep(after=None, limit=10, is_thorough=False).is_any
    assert store.sweep(after=None, limit=10, is_thorough=True).failures == (batch,)


def test_a_death_is_told_at_the_end_at_the_latest(store: Store) -> None:
    batch, _ = batch_of(store, 1, on_failure=ON_FAILURE)
    run(store, "dead")
    store.seal_batch(batch)
    swept = store.sweep(after=None, limit=10, is_thorough=False)
    assert (swept.batches, swept.failures) == ((batch,), (batch,))
    assert len(callbacks(store)) == 2


# -- cancel ----------------------------------------------------------------------------------------
def test_a_sweep_names_cancelled_batches_that_are_not_over(store: Store) -> None:
    batch, (member,) = batch_of(store, 1)
    other, _ = batch_of(store, 1)
    store.seal_batch(other)
    store.cancel_batch(batch, by="Ada")
    assert store.sweep(after=None, limit=10, is_thorough=False).cancelled == {batch: "Ada"}
    store.cancel(member, by="Ada")
    swept = store.sweep(after=None, limit=10, is_thorough=False)
    assert (swept.batches, swept.cancelled) == ((batch,), {})


def test_a_cancelled_batch_and_those_nested_in_it_take_no_members(store: Store) -> None:
    batch, _ = batch_of(store, 1)
    nested = make_batch(store, parent=batch)
    taken = claim_one(store)
    assert store.cancel_batch(batch, by="Ada") == [batch, nested]
    found = info(store, batch)
    assert (found.status, found.cancelled_by) == (BatchStatus.CANCELLING, "Ada")
    for each in (batch, nested):
        with pytest.raises(BatchSealed, match="cancelling"):
            store.enqueue([new_job(batch=each, adder=Adder(taken.job_id, taken.fence))])


def test_live_members_are_those_that_nobody_told_to_stop(store: Store) -> None:
    batch = make_batch(store)
    live = {
        bring(store, place, batch=batch)[0]
        for place in (Place.RUNNING, Place.PARKED, Place.SCHEDULED, Place.BLOCKED, Place.FAILED)
    }
    bring(store, Place.CANCELLING, batch=batch)
    bring(store, Place.SUCCEEDED, batch=batch)
    ready = enqueue_one(store, batch=batch)
    assert set(store.live_members([batch], limit=100)) == {*live, ready}
    assert len(store.live_members([batch], limit=2)) == 2


def test_a_cancelled_batch_ends_cancelled_with_its_callback(store: Store) -> None:
    batch, members = batch_of(store, 2)
    taken = claim(store, limit=1)[0]
    store.cancel_batch(batch, by=None)
    store.cancel_many(store.live_members([batch], limit=10), by=None)
    assert not end(store, *members).is_any  # one is still running
    settle(store, taken, "succeeded")
    assert end(store, *members).batches == (batch,)
    assert info(store, batch).status is BatchStatus.CANCELLED
    ended = told(callback_of(store, batch))
    assert (ended.cancelled, ended.is_cancelled, ended.is_success) == (2, True, False)


def test_a_batch_that_has_ended_is_not_cancelled(store: Store) -> None:
    batch, _ = batch_of(store)
    store.seal_batch(batch)
    store.follow_batches([batch])
    assert store.cancel_batch(batch, by="Ada") == [batch]
    assert info(store, batch).status is BatchStatus.ENDED


# -- another round ---------------------------------------------------------------------------------
def test_another_round_has_its_own_callbacks(store: Store) -> None:
    batch, members = batch_of(store, 2, on_failure=ON_FAILURE)
    store.seal_batch(batch)
    good, bad = claim(store)
    settle(store, good, "succeeded")
    settle(store, bad, "dead")
    assert end(store, *members).batches == (batch,)

    assert store.reopen_batch(batch) is BatchStatus.OPEN
    found = info(store, batch)
    assert (found.round, found.sealed_at, found.failed_at, found.ended_at) == (2, None, None, None)
    assert store.retry_many([bad.job_id]) == {bad.job_id: State.QUEUED}
    assert counts(store, batch) == {"total": 2, "succeeded": 1, "queued": 1}
    store.seal_batch(batch)
    assert not store.sweep(after=None, limit=10, is_thorough=True).is_any
    run(store)
    followed = end(store, *members)
    assert (followed.batches, followed.failures) == ((batch,), ())
    assert told(callback_of(store, batch, number=2)).succeeded == 2
    assert told(callback_of(store, batch, number=2)).round == 2


def test_only_an_ended_batch_is_opened_again(store: Store) -> None:
    batch, _ = batch_of(store, 1)
    assert store.reopen_batch(batch) is BatchStatus.OPEN
    store.seal_batch(batch)
    assert store.reopen_batch(batch) is BatchStatus.SEALED
    assert info(store, batch).round == 1


# -- what people see -------------------------------------------------------------------------------
def test_the_view_says_the_same(store: Store, tables: Tables) -> None:
    batch, _ = batch_of(store, 3, name="sync", meta=raw({"a": 1}), on_failure=ON_FAILURE)
    settle(store, claim(store, limit=1)[0], "succeeded")
    claim(store, limit=1)
    is_sqlite = store.url.startswith("sqlite")
    name = "leasehold_batches" if is_sqlite else "leasehold.batches"
    (row,) = tables.execute(f"SELECT * FROM {name}")  # noqa: S608
    found = info(store, batch)
    seen = {**row, "meta": '{"a":1}' if not is_sqlite else row["meta"]}
    assert (str(seen["id"]), seen["name"], seen["meta"]) == (str(batch), "sync", '{"a":1}')
    assert (seen["status"], seen["round"], seen["tenant_id"]) == ("open", 1, "")
    for count in ("total", "queued", "running", "succeeded", "dead", "cancelled", "failed"):
        assert seen[count] == getattr(found.counts, count), count
    assert seen["sealed_at"] is seen["ended_at"] is seen["processed"] is None


def test_units_of_work_are_summed_over_what_members_reported(store: Store, tables: Tables) -> None:
    batch, (first, second, _) = batch_of(store, 3)
    alone = enqueue_one(store)
    for job_id, done, total in ((first, 5, 10), (second, 2.5, None), (alone, 100, 100)):
        _report(store, tables, job_id, done, total)
    found = info(store, batch)
    assert (found.processed, found.total_units) == (7.5, 10)


def _report(store: Store, tables: Tables, job_id: JobId, done: float, total: float | None) -> None:
    is_sqlite = store.url.startswith("sqlite")
    table = "leasehold_checkpoint" if is_sqlite else "leasehold.checkpoint"
    moment = "0" if is_sqlite else "now()"
    tables.execute(
        f"INSERT INTO {table} (job_id, saved_at, done, total) "  # noqa: S608
        f"VALUES ('{job_id}', {moment}, {done}, {total or 'NULL'})"
    )


def test_a_survey_says_whether_a_batch_has_not_ended(store: Store) -> None:
    assert not store.survey(["default"], ["greet"]).batches
    batch = make_batch(store)
    assert store.survey(["default"], ["greet"]).batches
    store.seal_batch(batch)
    store.follow_batches([batch])
    assert not store.survey(["default"], ["greet"]).batches
    assert isinstance(info(store, batch), BatchInfo)
    assert look(store, enqueue_one(store)).batch is None
