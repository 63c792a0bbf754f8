"""Many jobs with keys in one call: new keys are taken at once, others are decided about."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pytest

from leasehold.errors import BadValue, IdConflict
from leasehold.model.keys import FOR_EVER_SECONDS, Standing, Verdict
from leasehold.model.states import State
from tests.conformance.key_kit import REPLACE, ask, key_of, keyed_job
from tests.conformance.kit import look, new_job, raw
from tests.conformance.tables import snapshot

if TYPE_CHECKING:
    from leasehold.model.values import NewJob
    from leasehold.store.base import Store
    from tests.conformance.tables import Tables

ODD = ["a", "a.b", "$", '"quoted"', "back\\slash", "링크 모음", "a\tb", "[0]", "#1", "x" * 200]


def of_lane(number: int, **options: Any) -> NewJob:
    lane = f"domain:site{number % 7}.com"
    return keyed_job(key=f"link{number}", lane=lane, share=f"user{number % 2}", **options)


def test_many_new_keys_are_taken_in_one_call(store: Store, tables: Tables) -> None:
    jobs = [of_lane(number, ever=True) for number in range(100)]
    assert store.enqueue(jobs) == {}
    assert {row["key"]: str(row["job_id"]) for row in tables.rows("key")} == {
        f"link{number}": str(job.id) for number, job in enumerate(jobs)
    }
    assert {row["memory_seconds"] for row in tables.rows("key")} == {FOR_EVER_SECONDS}
    placed = {str(row["job_id"]): (row["lane"], row["share"]) for row in tables.rows("waiting")}
    assert placed == {str(job.id): (job.lane, job.share) for job in jobs}
    shown = look(store, jobs[3].id)
    assert (shown.state, shown.key, shown.lane) == (State.BLOCKED, "link3", jobs[3].lane)


def test_keys_are_kept_as_they_are_written(store: Store) -> None:
    jobs = [keyed_job(key=key) for key in ODD]
    assert store.enqueue(jobs) == {}
    for key, job in zip(ODD, jobs, strict=True):
        assert key_of(store, key).holder == job.id
        assert look(store, job.id).key == key


def test_of_many_only_those_are_refused_whose_key_is_held(store: Store, tables: Tables) -> None:
    held = ask(store, key="link3", ever=True)
    jobs = [of_lane(number, ever=True) for number in range(10)]
    assert store.enqueue(jobs) == {jobs[3].id: Standing(held.id, Verdict.LIVE)}
    assert len(tables.rows("job")) == 10
    again = [of_lane(number, ever=True) for number in range(10)]
    assert {answer.verdict for answer in store.enqueue(again).values()} == {Verdict.LIVE}
    assert len(tables.rows("job")) == 10


def test_many_that_are_sent_again_are_the_same_jobs(store: Store, tables: Tables) -> None:
    jobs = [of_lane(number) for number in range(10)]
    store.enqueue(jobs)
    before = snapshot(tables), tables.rows("key")
    assert {answer.verdict for answer in store.enqueue(jobs).values()} == {Verdict.SAME}
    assert (snapshot(tables), tables.rows("key")) == before


def test_many_of_which_one_clashes_take_no_key(store: Store, tables: Tables) -> None:
    known = new_job()
    store.enqueue([known])
    before = snapshot(tables), tables.rows("key")
    clash = of_lane(5, id=known.id, args=raw({"name": "Grace"}))
    with pytest.raises(IdConflict):
        store.enqueue([of_lane(1), clash, of_lane(2)])
    assert (snapshot(tables), tables.rows("key")) == before


def test_a_key_that_comes_twice_among_many_is_decided_in_order(store: Store) -> None:
    jobs = [of_lane(1), of_lane(2), of_lane(1)]
    assert store.enqueue(jobs) == {jobs[2].id: Standing(jobs[0].id, Verdict.LIVE)}
    jobs = [keyed_job(REPLACE, key="third"), of_lane(4), keyed_job(REPLACE, key="third")]
    assert store.enqueue(jobs) == {jobs[2].id: Standing(jobs[2].id, Verdict.REPLACED, jobs[0].id)}


def test_each_key_is_remembered_as_long_as_its_job_wants(store: Store, tables: Tables) -> None:
    store.enqueue(
        [
            keyed_job(key="live"),
            keyed_job(key="ever", ever=True),
            keyed_job(key="period", period_seconds=5.0, cooldown_seconds=7.0),
            keyed_job(key="tenant", tenant="acme"),
        ]
    )
    kept = {(row["tenant"], row["key"]): row["memory_seconds"] for row in tables.rows("key")}
    assert kept == {
        ("", "live"): 0,
        ("", "ever"): FOR_EVER_SECONDS,
        ("", "period"): 7,
        ("acme", "tenant"): 0,
    }


def test_those_of_many_that_are_for_later_wait_for_their_time(store: Store) -> None:
    jobs = [of_lane(number, delay_seconds=60.0, created_by="ada") for number in range(3)]
    store.enqueue(jobs)
    seen = look(store, jobs[0].id)
    assert (seen.state, seen.created_by) == (State.QUEUED, "ada")
    assert seen.run_at is not None


def test_a_text_that_can_not_be_stored_is_refused_in_any_of_many(store: Store) -> None:
    texts: list[dict[str, Any]] = [{name: "a\0b"} for name in ("created_by", "share", "trace")]
    for bad in texts:
        with pytest.raises(BadValue):
            store.enqueue([keyed_job(key="a", lane="", **bad), keyed_job(key="b", lane="", **bad)])
