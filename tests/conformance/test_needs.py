"""Jobs that wait for others: none runs before, none is left behind, none waits in vain."""

from __future__ import annotations

from itertools import product
from typing import TYPE_CHECKING, Any

import msgspec
import pytest

from leasehold.errors import BadValue, IdConflict
from leasehold.model.batches import BatchStatus, NewBatch
from leasehold.model.causes import Reason
from leasehold.model.ids import derive_id
from leasehold.model.keys import Mode, Unique
from leasehold.model.lanes import Rule
from leasehold.model.needs import Released
from leasehold.model.states import State
from leasehold.model.values import Filter
from leasehold.model.why import explain
from leasehold.upkeep.following import follow_up
from tests.conformance.batch_kit import ON_END
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
    make_batch,
    new_id,
    new_job,
    new_jobs,
    pass_time,
    promote,
    raw,
    settlement,
    take_lanes,
)
from tests.conformance.needs_kit import (
    NEEDED,
    end,
    enqueue_after,
    enqueue_needed,
    needs,
    sweep,
)
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


# -- operators -------------------------------------------------------------------------------------
def forsaken(store: Store) -> tuple[JobId, JobId]:
    needed = enqueue_needed(store)
    job_id = enqueue_after(store, needed)
    end(store, needed, "dead")
    assert store.release_dependents([needed]).cancelled == (job_id,)
    pass_time(store, 1)
    return needed, job_id


@pytest.mark.parametrize("in_bulk", [False, True])
@pytest.mark.parametrize("first", ["needed", "dependent"])
def test_one_that_was_forsaken_waits_again_when_it_is_retried(
    store: Store, first: str, *, in_bulk: bool
) -> None:
    needed, job_id = forsaken(store)
    for each in (needed, job_id) if first == "needed" else (job_id, needed):
        state = store.retry_many([each])[each] if in_bulk else store.retry(each)
        assert state is (State.QUEUED if each == needed else State.BLOCKED)
        assert sweep(store) == Released()  # what ended before the retry is no news
    pass_time(store, 1)
    end(store, needed)

    assert store.release_dependents([needed]).let_go == {"default": 1}
    assert claim_one(store).attempt == 2


def test_one_that_waits_again_is_forsaken_again(store: Store) -> None:
    needed, job_id = forsaken(store)
    store.retry(job_id)
    store.retry(needed)
    pass_time(store, 1)
    end(store, needed, "dead")

    assert sweep(store).cancelled == (job_id,)
    assert [each.outcome for each in store.history(job_id)] == ["cancelled", "cancelled"]


def test_one_that_has_run_does_not_wait_again(store: Store) -> None:
    needed = enqueue_needed(store)
    job_id = enqueue_after(store, needed)
    end(store, needed)
    store.release_dependents([needed])
    store.finish(WORKER, [settlement(claim_one(store), "dead")])
    store.delete(needed)

    assert store.retry(job_id) is State.QUEUED
    assert claim_one(store).job_id == job_id


def test_one_whose_needs_were_met_is_ready_when_it_is_retried(store: Store) -> None:
    needed, job_id = forsaken(store)
    store.retry(needed)
    end(store, needed)

    assert store.retry(job_id) is State.QUEUED
    assert claim_one(store).job_id == job_id


def test_one_that_is_retried_does_not_wait_for_its_time_again(store: Store, tables: Tables) -> None:
    needed = enqueue_needed(store)
    job_id = enqueue_after(store, needed, delay_seconds=LATER_SECONDS)
    store.cancel(job_id, by=None)
    assert store.retry(job_id) is State.BLOCKED
    end(store, needed)
    store.release_dependents([needed])

    assert places(tables, job_id) == ["ready"]


@pytest.mark.parametrize("in_bulk", [False, True])
def test_a_deleted_job_needs_nobody(store: Store, tables: Tables, *, in_bulk: bool) -> None:
    _, ended = forsaken(store)
    waiting = enqueue_after(store, enqueue_needed(store))
    for job_id in (ended, waiting):
        assert (store.delete_many([job_id])[job_id] if in_bulk else store.delete(job_id)) is None

    assert (tables.rows("dependent"), tables.rows("dependency")) == ([], [])


def test_a_cancelled_job_waits_for_nobody(store: Store, tables: Tables) -> None:
    needed = enqueue_needed(store)
    job_id = enqueue_after(store, needed)
    following = enqueue_after(store, job_id)
    assert store.cancel(job_id, by="Ada") is State.CANCELLED
    end(store, needed)

    assert store.release_dependents([needed]) == Released()
    assert sweep(store).cancelled == (following,)
    sweep(store)
    assert tables.rows("dependent") == []
    assert look(store, job_id).error == "cancelled by Ada"


# -- what they left --------------------------------------------------------------------------------
def test_predecessors_are_read_in_the_order_they_were_named(store: Store) -> None:
    done, dead, gone = enqueue_needed(store), enqueue_needed(store), new_id()
    end(store, done, "succeeded", result=raw({"sum": 3}))
    end(store, dead, "dead", error="Boom")
    job_id = enqueue_after(store, gone, dead, done, words={"even_if_failed": True})
    found = store.predecessors(job_id)

    assert [each.id for each in found] == [gone, dead, done]
    assert [each.state for each in found] == [None, State.DEAD, State.SUCCEEDED]
    assert [each.kind for each in found] == [None, "greet", "greet"]
    assert [each.result for each in found] == [None, None, {"sum": 3}]
    assert [each.error for each in found] == [None, "Boom", None]
    assert store.predecessors(done) == []


def test_why_names_those_that_it_waits_for(store: Store) -> None:
    first, second = enqueue_needed(store), enqueue_needed(store)
    of_all, of_any = (
        enqueue_after(store, first, second, words={"any": each}) for each in (False, True)
    )
    end(store, first, "failed")

    facts = store.facts(of_all)
    assert facts is not None
    assert explain(facts).reason is Reason.NEEDS
    assert explain(facts).text == f"waits for job {first} (failed) and job {second} (queued)"
    assert explain(facts).jobs == (first, second)
    any_facts = store.facts(of_any)
    assert any_facts is not None
    assert explain(any_facts).text.startswith(f"waits for any of job {first} (failed)")


def test_why_tells_what_to_retry_first(store: Store) -> None:
    needed, job_id = forsaken(store)
    facts = store.facts(job_id)
    assert facts is not None
    assert explain(facts).reason is Reason.FORSAKEN
    store.retry(job_id)
    facts = store.facts(job_id)
    assert facts is not None
    assert explain(facts).advice == f"retry that one: `leasehold jobs retry {needed}`"


# -- what follows from it --------------------------------------------------------------------------
def test_one_that_is_forsaken_calls_back_in_the_same_breath(store: Store) -> None:
    needed = enqueue_needed(store)
    job_id = enqueue_after(store, needed, on_end=ON_END)
    end(store, needed, "dead")

    assert store.release_dependents([needed]).called == {"callbacks": 1}
    (callback,) = store.find(Filter(queue="callbacks"), before=None, limit=9)
    assert callback.id == derive_id(job_id, "end:1")
    assert callback.args["ended"]["state"] == "cancelled"
    assert callback.args["ended"]["error"] == look(store, job_id).error


def test_a_batch_ends_with_those_that_wait_in_vain(store: Store) -> None:
    batch = make_batch(store, on_end=ON_END)
    needed = enqueue_needed(store, batch=batch)
    second = enqueue_after(store, needed, batch=batch)
    third = enqueue_after(store, second, batch=batch)
    store.seal_batch(batch)
    end(store, needed, "dead")

    followed = follow_up(store, [needed])
    assert followed.batches == (batch,)
    assert followed.arrivals == {"callbacks": 1}
    assert {look(store, each).state for each in (second, third)} == {State.CANCELLED}


def test_a_batch_is_alive_while_one_of_it_waits_for_others(store: Store) -> None:
    batch = make_batch(store, on_end=ON_END)
    needed = enqueue_needed(store)
    member = enqueue_after(store, needed, batch=batch)
    store.seal_batch(batch)
    assert store.follow_batches([batch]).batches == ()
    end(store, needed)

    assert follow_up(store, [needed]).arrivals == {"default": 1}
    taken = claim_one(store)
    assert (taken.job_id, taken.batch) == (member, batch)


def test_a_batch_and_its_members_are_written_together(store: Store) -> None:
    batch = NewBatch(id=new_id(), name="flow", on_end=ON_END)
    first, second = new_jobs(2, batch=batch.id)
    jobs = [first, msgspec.structs.replace(second, needs=needs(first.id))]
    for _ in range(2):  # the same again, after a lost answer, is the same
        store.start_batch(batch, jobs)
        info = store.get_batch(batch.id)
        assert info is not None
        assert (info.name, info.status, info.counts.total) == ("flow", BatchStatus.SEALED, 2)
    assert claim_one(store).job_id == first.id


def test_a_batch_whose_members_are_refused_is_not_there(store: Store) -> None:
    known = enqueue_one(store)
    batch = NewBatch(id=new_id())
    clash = new_job(id=known, batch=batch.id, args=raw({"name": "Eve"}))
    with pytest.raises(IdConflict):
        store.start_batch(batch, [new_job(batch=batch.id), clash])

    assert store.get_batch(batch.id) is None
    assert [job.id for job in store.find(Filter(), before=None, limit=9)] == [known]


def test_a_job_names_those_that_were_made_to_wait_for_it(store: Store) -> None:
    first, other = enqueue_needed(store), enqueue_needed(store)
    waiting = sorted(enqueue_after(store, first) for _ in range(3))
    both = enqueue_after(store, first, other)
    assert store.dependents(first) == sorted([*waiting, both])
    assert store.dependents(other) == [both]
    assert store.dependents(first, limit=2) == sorted([*waiting, both])[:2]
    assert store.dependents(both) == []
