"""People and jobs that wait for others: retry, delete, cancel, and what they are told."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from leasehold.model.causes import Reason
from leasehold.model.needs import Released
from leasehold.model.states import State
from leasehold.model.why import explain
from tests.conformance.kit import (
    LATER_SECONDS,
    WORKER,
    claim_one,
    look,
    new_id,
    pass_time,
    raw,
    settlement,
)
from tests.conformance.needs_kit import end, enqueue_after, enqueue_needed, sweep
from tests.conformance.tables import places

if TYPE_CHECKING:
    from leasehold.model.ids import JobId
    from leasehold.store.base import Store
    from tests.conformance.tables import Tables


def forsaken(store: Store) -> tuple[JobId, JobId]:
    needed = enqueue_needed(store)
    job_id = enqueue_after(store, needed)
    end(store, needed, "dead")
    assert store.release_dependents([needed]).cancelled == (job_id,)
    pass_time(store, 1)
    return needed, job_id


# -- operators -------------------------------------------------------------------------------------
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
