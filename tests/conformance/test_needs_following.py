"""What follows when a job has waited for others in vain: callbacks, and the ends of batches."""

from __future__ import annotations

from typing import TYPE_CHECKING

import msgspec
import pytest

from leasehold.errors import IdConflict
from leasehold.model.batches import BatchStatus, NewBatch
from leasehold.model.ids import derive_id
from leasehold.model.states import State
from leasehold.model.values import Filter
from leasehold.upkeep.following import follow_up
from tests.conformance.batch_kit import ON_END
from tests.conformance.kit import (
    claim_one,
    enqueue_one,
    look,
    make_batch,
    new_id,
    new_job,
    new_jobs,
    raw,
)
from tests.conformance.needs_kit import end, enqueue_after, enqueue_needed, needs

if TYPE_CHECKING:
    from leasehold.store.base import Store


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
