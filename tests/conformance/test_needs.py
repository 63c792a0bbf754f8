"""Jobs that wait for others: none runs before, none is left behind, none waits in vain."""

from __future__ import annotations

from itertools import product
from typing import TYPE_CHECKING, Any

import msgspec
import pytest

from leasehold.errors import BadValue, IdConflict
from leasehold.model.keys import Mode, Unique
from leasehold.model.lanes import Rule
from leasehold.model.needs import Released
from leasehold.model.states import State
from leasehold.model.values import Filter
from tests.conformance.key_kit import KEY
from tests.conformance.kit import (
    HOST,
    LATER_SECONDS,
    RULE,
    WORKER,
    claim,
    claim_one,
    declare,
    enqueue_one,
    look,
    look_lanes,
    new_id,
    new_job,
    new_jobs,
    pass_time,
    promote,
    raw,
    settlement,
    take_lanes,
)
from tests.conformance.needs_kit import NEEDED, end, enqueue_after, enqueue_needed, needs, sweep
from tests.conformance.tables import places

if TYPE_CHECKING:
    from leasehold.model.ids import JobId
    from leasehold.store.base import Store
    from tests.conformance.tables import Tables

ENDS = ("open", "succeeded", "dead", "cancelled", "gone")


def bring(store: Store, job_id: JobId, how: str) -> None:
    """Let a needed job, the oldest that is ready, come to this."""
    match how:
        case "open":
            end(store, job_id, "failed")
        case "gone":
            store.delete(job_id)
        case _:
            end(store, job_id, how)


def wanted(ends: tuple[str, ...], *, is_any: bool, even_if_failed: bool) -> State:
    """Say what is to become of a job, in the words of the guide."""
    good = [each != "open" if even_if_failed else each == "succeeded" for each in ends]
    lost = [each not in {"open", "succeeded"} and not even_if_failed for each in ends]
    if any(good) if is_any else all(good):
        return State.QUEUED
    return State.CANCELLED if (all(lost) if is_any else any(lost)) else State.BLOCKED


@pytest.mark.parametrize("even_if_failed", [False, True])
@pytest.mark.parametrize("is_any", [False, True])
@pytest.mark.parametrize("by", ["end", "sweep", "enqueue"])
def test_what_becomes_of_a_job_is_decided_by_the_ends_of_those_it_needs(
    store: Store, by: str, *, is_any: bool, even_if_failed: bool
) -> None:
    words = {"any": is_any, "even_if_failed": even_if_failed}
    cases = {ends: [enqueue_needed(store) for _ in ends] for ends in product(ENDS, ENDS)}
    jobs = {ends: new_job(needs=needs(*needed, **words)) for ends, needed in cases.items()}
    if by != "enqueue":
        store.enqueue(list(jobs.values()))
        assert {look(store, job.id).state for job in jobs.values()} == {State.BLOCKED}
    for ends, needed in cases.items():
        for job_id, how in zip(needed, ends, strict=True):
            bring(store, job_id, how)
    match by:
        case "enqueue":
            store.enqueue(list(jobs.values()))
        case "end":
            store.release_dependents([each for needed in cases.values() for each in needed])
        case _:
            sweep(store)

    seen = {ends: look(store, job.id).state for ends, job in jobs.items()}
    assert seen == {
        ends: wanted(ends, is_any=is_any, even_if_failed=even_if_failed) for ends in cases
    }


@pytest.mark.parametrize("options", [{}, {"lane": HOST}, {"delay_seconds": 60.0}, {"share": "a"}])
def test_one_that_waits_for_others_is_blocked_whatever_else_it_has(
    store: Store, tables: Tables, options: dict[str, Any]
) -> None:
    declare(store, Rule(name=RULE, running=1))
    job_id = enqueue_after(store, enqueue_needed(store), **options)
    pass_time(store, LATER_SECONDS)
    promote(store)

    assert look(store, job_id).state is State.BLOCKED
    assert places(tables, job_id) == ["waiting"]
    assert (claim(store), look_lanes(store), take_lanes(store)) == ([], [], [])
    assert [job.id for job in store.find(Filter(state=State.BLOCKED), before=None, limit=9)] == [
        job_id
    ]
    assert store.survey(["default"], ["greet"]).dependents


def test_one_goes_where_it_would_have_gone_without_others(store: Store, tables: Tables) -> None:
    declare(store, Rule(name=RULE, running=1))
    needed = enqueue_needed(store)
    plain = enqueue_after(store, needed)
    laned = enqueue_after(store, needed, lane=HOST)
    shared = enqueue_after(store, needed, lane="", share="a")
    later = enqueue_after(store, needed, delay_seconds=60.0, lane=HOST)
    end(store, needed)

    assert store.release_dependents([needed]) == Released(let_go={"default": 4})
    assert places(tables, plain) == ["ready"]
    assert places(tables, later) == ["scheduled"]
    assert {each.job_id for each in take_lanes(store)} == {laned, shared}
    assert claim_one(store).job_id == plain
    pass_time(store, 61)
    promote(store)
    assert look(store, later).state is State.BLOCKED  # its throttle has one slot


def test_one_keeps_the_priority_that_it_was_given_while_it_waited(store: Store) -> None:
    needed = enqueue_needed(store)
    first, second = enqueue_after(store, needed), enqueue_after(store, needed)
    store.reprioritise(second, 5)
    end(store, needed)
    store.release_dependents([needed])

    assert [each.job_id for each in claim(store)] == [second, first]


def test_the_error_says_whose_end_it_was(store: Store) -> None:
    dead, gone = enqueue_needed(store), new_id()
    after_dead = enqueue_after(store, dead)
    after_any = enqueue_after(store, dead, words={"any": True})
    end(store, dead, "dead")
    store.release_dependents([dead])
    after_gone = enqueue_after(store, gone)

    told = {job_id: look(store, job_id).error for job_id in (after_dead, after_gone, after_any)}
    assert told == {
        after_dead: f"cancelled because job {dead} that it waits for is dead",
        after_gone: f"cancelled because job {gone} that it waits for is gone",
        after_any: "cancelled because none of the jobs that it waits for succeeded",
    }


def test_a_fan_out_of_a_thousand_is_let_go_at_once(store: Store, tables: Tables) -> None:
    needed = enqueue_needed(store)
    store.enqueue(new_jobs(1_000, needs=needs(needed)))
    assert store.release_dependents([needed]) == Released()
    end(store, needed)

    assert store.release_dependents([needed]) == Released(let_go={"default": 1_000})
    assert len(tables.rows("ready")) == 1_000
    assert tables.rows("dependent") == []
    assert store.release_dependents([needed]) == Released()


def test_a_fan_in_of_a_thousand_goes_after_the_last(store: Store) -> None:
    all_needed = new_jobs(1_000, queue=NEEDED)
    store.enqueue(all_needed)
    job_id = enqueue_after(store, *(job.id for job in all_needed))
    *others, last = claim(store, queues=[NEEDED], limit=1_000)
    store.finish(WORKER, [settlement(each, "succeeded") for each in others])

    assert store.release_dependents([each.job_id for each in others]) == Released()
    assert sweep(store) == Released()
    store.finish(WORKER, [settlement(last, "succeeded")])
    assert store.release_dependents([last.job_id]) == Released(let_go={"default": 1})
    assert claim_one(store).job_id == job_id


def test_a_chain_that_breaks_ends_to_its_end(store: Store) -> None:
    first = enqueue_needed(store)
    second = enqueue_after(store, first)
    third = enqueue_after(store, second)
    cleanup = enqueue_after(store, third, words={"even_if_failed": True})
    end(store, first, "dead")

    assert store.release_dependents([first]).cancelled == (second,)
    assert store.release_dependents([second]).cancelled == (third,)
    assert store.release_dependents([third]) == Released(let_go={"default": 1})
    assert claim_one(store).job_id == cleanup


def test_jobs_that_need_each_other_can_come_in_one_enqueue(store: Store) -> None:
    first, second = new_jobs(2)
    store.enqueue([msgspec.structs.replace(second, needs=needs(first.id)), first])

    taken = claim_one(store)
    assert taken.job_id == first.id
    store.finish(WORKER, [settlement(taken, "succeeded")])
    store.release_dependents([first.id])
    assert claim_one(store).job_id == second.id


def test_the_same_job_again_does_not_wait_again(store: Store, tables: Tables) -> None:
    needed = enqueue_needed(store)
    job = new_job(needs=needs(needed))
    store.enqueue([job])
    end(store, needed)
    store.release_dependents([needed])
    store.enqueue([job])
    store.enqueue([job, new_job()])

    assert places(tables, job.id) == ["ready"]
    assert tables.rows("dependent") == []


def test_the_same_job_twice_in_one_enqueue_waits_once(store: Store, tables: Tables) -> None:
    job = new_job(needs=needs(enqueue_needed(store)))
    store.enqueue([job, job])

    assert places(tables, job.id) == ["waiting"]
    assert len(tables.rows("dependency")) == 1


def test_one_that_is_named_twice_is_needed_once(store: Store, tables: Tables) -> None:
    needed = enqueue_needed(store)
    enqueue_after(store, needed, needed)
    end(store, needed)

    assert len(tables.rows("dependency")) == 1
    assert store.release_dependents([needed]).let_go == {"default": 1}


def test_a_refused_enqueue_leaves_no_trace_of_what_it_needs(store: Store, tables: Tables) -> None:
    known = enqueue_one(store)
    clash = new_job(id=known, args=raw({"name": "Eve"}))
    with pytest.raises(IdConflict):
        store.enqueue([new_job(needs=needs(known)), clash])

    assert (tables.rows("dependent"), tables.rows("dependency")) == ([], [])
    assert tables.rows("waiting") == []


def test_a_key_and_others_go_together(store: Store) -> None:
    needed = enqueue_needed(store)
    job_id = enqueue_after(store, needed, unique=Unique(key=KEY))
    twin = new_job(unique=Unique(key=KEY))
    assert store.enqueue([twin])[twin.id].id == job_id
    end(store, needed)
    store.release_dependents([needed])

    assert claim_one(store).job_id == job_id


@pytest.mark.parametrize("mode", [Mode.REPLACE, Mode.LATEST])
def test_one_that_waits_for_others_can_not_replace_one_of_its_key(store: Store, mode: Mode) -> None:
    unique = Unique(key=KEY, mode=mode.value)
    with pytest.raises(BadValue):
        store.enqueue([new_job(needs=needs(new_id()), unique=unique)])


def test_one_that_waits_for_others_can_be_replaced(store: Store, tables: Tables) -> None:
    job_id = enqueue_after(store, enqueue_needed(store), unique=Unique(key=KEY))
    newer = new_job(unique=Unique(key=KEY, mode=Mode.REPLACE.value))
    store.enqueue([newer])
    sweep(store)

    assert look(store, job_id).error == f"replaced by job {newer.id}"
    assert tables.rows("dependent") == []


# -- sweeps ----------------------------------------------------------------------------------------
def test_sweeps_come_by_every_waiting_job(store: Store) -> None:
    needed = enqueue_needed(store)
    jobs = new_jobs(50, needs=needs(needed))
    store.enqueue(jobs)
    others = new_jobs(50, needs=needs(enqueue_needed(store)))
    store.enqueue(others)
    end(store, needed)
    done = [sweep(store, limit=10).let_go.get("default", 0) for _ in range(10)]

    assert sum(done) == len(jobs)
    assert {each.job_id for each in claim(store)} == {job.id for job in jobs}


def test_a_sweep_begins_with_the_newest(store: Store) -> None:
    store.enqueue(new_jobs(50, needs=needs(enqueue_needed(store))))
    sweep(store, limit=10)
    ended = enqueue_one(store)
    store.finish(WORKER, [settlement(claim_one(store), "succeeded")])
    job = new_job(needs=needs(ended))
    store.enqueue([job, new_job(id=ended)])  # as on a caller's connection: nobody looks

    assert sweep(store, limit=10).let_go == {"default": 1}


def test_what_a_sweep_can_not_do_yet_costs_no_write(store: Store, tables: Tables) -> None:
    enqueue_after(store, enqueue_needed(store))
    before = tables.rows("dependent"), tables.rows("waiting")
    for _ in range(3):
        assert sweep(store) == Released()

    assert (tables.rows("dependent"), tables.rows("waiting")) == before
