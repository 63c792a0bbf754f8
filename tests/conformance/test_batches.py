"""Batches: who may add to one, what it counts, and that it ends once, after its last member."""

from __future__ import annotations

import itertools
from typing import TYPE_CHECKING, Any

import pytest

from leasehold.errors import BatchNotFound, BatchSealed
from leasehold.model.batches import Adder, BatchFilter, BatchInfo, BatchStatus, NewBatch, status_of
from leasehold.model.ids import Fence, JobId
from leasehold.model.keys import Unique
from tests.conformance.batch_kit import ON_FAILURE, batch_of, counts, info, run
from tests.conformance.kit import (
    HOST,
    STATE_OF,
    Place,
    bring,
    claim,
    claim_one,
    enqueue_one,
    look,
    make_batch,
    new_id,
    new_job,
    new_jobs,
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
