"""Enqueue: all or none, the same id is the same job, and what was asked is what is stored."""

from __future__ import annotations

from contextlib import closing
from datetime import UTC, datetime, timedelta
from typing import TYPE_CHECKING, Any

import msgspec
import pytest

from leasehold.errors import IdConflict
from leasehold.model.states import State
from leasehold.model.values import NewJob, TaskPolicy, WorkerInfo
from leasehold.store import open_store
from tests.conformance.kit import (
    GREET,
    LATER_SECONDS,
    WORKER,
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
    pass_time,
    promote,
    raw,
)
from tests.conformance.tables import snapshot

if TYPE_CHECKING:
    from leasehold.store.base import Store
    from tests.conformance.tables import Tables


def test_a_new_job_is_queued_with_every_default(store: Store) -> None:
    job_id = new_id()
    store.enqueue([NewJob(id=job_id, kind=GREET, args=raw({}))])

    job = look(store, job_id)
    assert (job.id, job.kind, job.args, job.state) == (job_id, GREET, {}, State.QUEUED)
    assert (job.queue, job.priority, job.max_attempts) == ("default", 0, 5)
    assert (job.timeout_seconds, job.tenant, job.run_at) == (3600.0, "", None)
    assert (job.attempt, job.failures, job.lapses) == (0, 0, 0)
    assert (job.worker, job.worker_name, job.claimed_at, job.lease_until) == (None,) * 4
    assert (job.batch, job.lane, job.created_by) == (None, None, None)
    assert (job.started_at, job.finished_at, job.result, job.error) == (None,) * 4
    assert job.cancel_requested is False
    assert store.history(job_id) == []


def test_every_option_of_a_new_job_is_kept(store: Store) -> None:
    batch = make_batch(store, tenant="acme")
    asked = new_job(
        queue="mail",
        priority=-7,
        max_attempts=2,
        timeout_seconds=90.5,
        tenant="acme",
        batch=batch,
        lane="example.org",
        created_by="Ada",
    )
    store.enqueue([asked])

    job = look(store, asked.id)
    assert (job.queue, job.priority, job.max_attempts) == ("mail", -7, 2)
    assert (job.timeout_seconds, job.tenant, job.batch) == (90.5, "acme", batch)
    assert (job.lane, job.created_by) == ("example.org", "Ada")


@pytest.mark.parametrize(
    "value",
    [
        "naïve 北京 🏠 \u2028 \" \\ ' % :name ? {} $1",
        "",
        -(2**63),
        2**63 - 1,
        0.1,
        -1.5e-7,
        None,
        True,
        [[], {}, [None, False, 0, ""]],
        {"": {"a": [{"b": "c"}]}},
    ],
)
def test_arguments_come_back_as_they_went_in(store: Store, value: Any) -> None:
    job_id = enqueue_one(store, args=raw({"value": value}))

    assert look(store, job_id).args == {"value": value}
    assert msgspec.json.decode(claim_one(store).args) == {"value": value}


@pytest.mark.parametrize("value", [1e16, 1e22, -1e300, 5e-324])
def test_a_float_keeps_its_value_though_perhaps_not_its_spelling(
    store: Store, value: float
) -> None:
    """PostgreSQL writes 1e22 out as 10000000000000000000000, which JSON reads as an integer."""
    job_id = enqueue_one(store, args=raw({"value": value}))
    assert float(look(store, job_id).args["value"]) == value


def test_nothing_to_enqueue_is_no_error(store: Store) -> None:
    assert store.enqueue([]) == {}


def test_the_same_job_again_is_the_same_job(store: Store, tables: Tables) -> None:
    job = new_job(args=raw({"b": 1, "a": [1, 2]}))
    store.enqueue([job])
    before = snapshot(tables)

    assert store.enqueue([job]).keys() == {job.id}
    assert snapshot(tables) == before


def test_other_options_do_not_make_it_another_job(store: Store) -> None:
    first = new_job(priority=1)
    store.enqueue([first])

    again = new_job(id=first.id, priority=9, queue="elsewhere", delay_seconds=60.0)
    assert store.enqueue([again]).keys() == {first.id}
    assert (look(store, first.id).priority, look(store, first.id).queue) == (1, "default")


@pytest.mark.parametrize("place", list(Place))
def test_the_same_job_again_is_known_wherever_it_stands(
    store: Store, tables: Tables, place: Place
) -> None:
    job = new_job()
    bring(store, place, id=job.id, kind=GREET, args=job.args)
    before = snapshot(tables)

    assert store.enqueue([job]).keys() == {job.id}
    assert snapshot(tables) == before


@pytest.mark.parametrize(
    "change", [{"kind": "other"}, {"args": raw({"name": "Bob"})}, {"tenant": "acme"}]
)
def test_a_used_id_for_another_job_is_a_conflict(
    store: Store, tables: Tables, change: dict[str, Any]
) -> None:
    job_id = enqueue_one(store)
    before = snapshot(tables)

    with pytest.raises(IdConflict) as caught:
        store.enqueue([new_job(), new_job(id=job_id, **change), new_job()])
    assert caught.value.job_ids == (job_id,)
    assert snapshot(tables) == before


def test_a_conflict_names_every_id(store: Store) -> None:
    jobs = new_jobs(3)
    store.enqueue(jobs)

    others = [new_job(id=job.id, kind="other") for job in jobs[:2]]
    with pytest.raises(IdConflict) as caught:
        store.enqueue([*others, new_job()])
    assert set(caught.value.job_ids) == {job.id for job in jobs[:2]}


def test_one_id_twice_in_one_call_is_one_job(store: Store, tables: Tables) -> None:
    job = new_job()
    store.enqueue([job, job])

    assert [str(row["job_id"]) for row in tables.rows("ready")] == [str(job.id)]


def test_one_id_for_two_jobs_of_one_call_is_a_conflict(store: Store, tables: Tables) -> None:
    job = new_job()
    with pytest.raises(IdConflict):
        store.enqueue([job, new_job(id=job.id, kind="other")])
    assert tables.rows("job") == []


def test_new_and_known_jobs_may_come_in_one_call(store: Store) -> None:
    known, fresh = new_job(), new_job()
    store.enqueue([known])

    assert store.enqueue([fresh, known]).keys() == {known.id}
    assert {taken.job_id for taken in claim(store)} == {fresh.id, known.id}


NOT_SAID: dict[str, Any] = {
    "queue": None,
    "priority": None,
    "max_attempts": None,
    "timeout_seconds": None,
}


def test_what_is_not_said_is_as_the_kinds_workers_registered_it(store: Store) -> None:
    policy = TaskPolicy(
        kind=GREET,
        queue="mail",
        priority=3,
        max_attempts=9,
        timeout_seconds=90.5,
        dies_on_lapse=False,
    )
    worker = WorkerInfo(id=WORKER, name="w", queues=(), kinds=(GREET,), slots=1, version="1")
    store.register(worker, [policy])

    job = look(store, enqueue_one(store, **NOT_SAID))
    assert (job.queue, job.priority, job.max_attempts) == ("mail", 3, 9)
    assert job.timeout_seconds == 90.5
    said = look(store, enqueue_one(store, queue="default", priority=0, max_attempts=5))
    assert (said.queue, said.priority, said.max_attempts) == ("default", 0, 5)


def test_what_is_not_said_of_an_unregistered_kind_is_the_default(store: Store) -> None:
    job = look(store, enqueue_one(store, **NOT_SAID))
    assert (job.queue, job.priority, job.max_attempts) == ("default", 0, 5)
    assert job.timeout_seconds == 3600.0


SAID: dict[str, Any] = {
    "queue": "default",
    "priority": 0,
    "max_attempts": 5,
    "timeout_seconds": 3600.0,
}


def test_a_job_that_says_all_keeps_every_option(store: Store) -> None:
    asked = new_job(**SAID, tenant="acme", created_by="Ada")
    store.enqueue([asked])

    job = look(store, asked.id)
    assert {name: getattr(job, name) for name in SAID} == SAID
    assert (job.tenant, job.batch, job.lane) == ("acme", None, None)
    assert (job.created_by, job.args, job.run_at) == ("Ada", {"name": "Ada"}, None)
    assert claim_one(store).job_id == asked.id


@pytest.mark.parametrize("is_quiet", [True, False])
def test_a_job_that_says_all_is_known_again(
    store: Store, store_url: str, tables: Tables, *, is_quiet: bool
) -> None:
    job = new_job(**SAID)
    store.enqueue([job])
    before = snapshot(tables)

    # A store that was quiet before sends its wake-up together with the job.
    with closing(open_store(store_url)) as other:
        if not is_quiet:
            other.notify({"default": 1})
        assert other.enqueue([job]).keys() == {job.id}
    with closing(open_store(store_url)) as other:
        if not is_quiet:
            other.notify({"default": 1})
        with pytest.raises(IdConflict) as caught:
            other.enqueue([new_job(id=job.id, kind="other", **SAID)])
        assert caught.value.job_ids == (job.id,)
    assert snapshot(tables) == before


def test_an_enqueue_in_two_steps_is_the_same(store: Store, tables: Tables) -> None:
    known, fresh = new_jobs(2)
    store.enqueue([known])
    finish = store.begin_enqueue([known, fresh])
    other = enqueue_one(store)  # between the steps the store is free for others
    assert finish().keys() == {known.id}
    assert {taken.job_id for taken in claim(store)} == {known.id, fresh.id, other}


def test_a_conflict_of_an_enqueue_in_two_steps_writes_nothing(store: Store, tables: Tables) -> None:
    used = enqueue_one(store)
    before = snapshot(tables)
    with pytest.raises(IdConflict):
        store.begin_enqueue([*new_jobs(3), new_job(id=used, kind="other")])()
    assert snapshot(tables) == before
    assert store.enqueue(new_jobs(1)) == {}


@pytest.mark.parametrize("field", ["delay_seconds", "run_at"])
def test_a_job_for_later_is_not_claimed_before_its_time(store: Store, field: str) -> None:
    when = datetime.now(UTC) + timedelta(seconds=LATER_SECONDS)
    wait: Any = {"delay_seconds": LATER_SECONDS, "run_at": when}[field]
    job_id = enqueue_one(store, **{field: wait})

    job = look(store, job_id)
    assert job.state is State.QUEUED
    assert job.run_at is not None
    assert abs(job.run_at - when) < timedelta(seconds=30)
    pass_time(store, LATER_SECONDS - 60)
    assert (promote(store), claim(store)) == (0, [])
    pass_time(store, 120)
    assert promote(store) == 1
    assert claim_one(store).job_id == job_id


def test_run_at_is_kept_to_the_microsecond_whatever_its_zone(store: Store) -> None:
    here = datetime(2099, 7, 1, 12, 30, 15, 123456, tzinfo=UTC)
    there = here.astimezone(tz=None)
    first, second = enqueue_one(store, run_at=here), enqueue_one(store, run_at=there)

    assert look(store, first).run_at == here
    assert look(store, second).run_at == here


@pytest.mark.parametrize(
    "when", [{"delay_seconds": 0.0}, {"run_at": datetime(2001, 1, 1, tzinfo=UTC)}]
)
def test_a_job_that_is_due_already_is_claimable_at_once(store: Store, when: dict[str, Any]) -> None:
    job_id = enqueue_one(store, **when)
    assert claim_one(store).job_id == job_id


def test_creation_is_the_stores_time(store: Store) -> None:
    pass_time(store, LATER_SECONDS)
    job = look(store, enqueue_one(store))

    expected = datetime.now(UTC) + timedelta(seconds=LATER_SECONDS)
    assert abs(job.created_at - expected) < timedelta(seconds=30)


def test_ten_thousand_jobs_go_in_with_one_call(store: Store, tables: Tables) -> None:
    jobs = new_jobs(10_000)
    assert store.enqueue(jobs) == {}

    assert len(tables.rows("ready")) == 10_000
    assert [taken.job_id for taken in claim(store, limit=3)] == [job.id for job in jobs[:3]]
    assert store.enqueue(jobs).keys() == {job.id for job in jobs}


def test_a_conflict_at_the_end_of_a_large_call_writes_nothing(store: Store, tables: Tables) -> None:
    used = enqueue_one(store)
    with pytest.raises(IdConflict):
        store.enqueue([*new_jobs(2_000), new_job(id=used, kind="other")])
    assert len(tables.rows("job")) == 1
