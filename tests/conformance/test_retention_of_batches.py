"""A batch is kept, or goes, as a whole."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from leasehold.model.keeping import DAY_SECONDS, EVER_SECONDS, Keep, Pruning, Scope
from tests.conformance.kit import GREET, Place, bring, enqueue_one, make_batch, pass_time
from tests.conformance.retention_kit import prune, there

if TYPE_CHECKING:
    from leasehold.model.ids import JobId
    from leasehold.store.base import Store
    from tests.conformance.tables import Tables

DAY = DAY_SECONDS


def end_batches(tables: Tables, store: Store, *batches: JobId) -> None:
    """Let these batches have ended now."""
    is_sqlite = store.url.startswith("sqlite:")
    name = "leasehold_batch" if is_sqlite else "leasehold.batch"
    moment = "unixepoch() * 1000000" if is_sqlite else "now()"
    for batch in batches:
        tables.execute(f"UPDATE {name} SET ended_at = {moment} WHERE id = '{batch}'")  # noqa: S608


def test_members_go_with_their_batch_when_the_last_of_them_may(
    store: Store, tables: Tables
) -> None:
    batch = make_batch(store)
    members = [bring(store, place, batch=batch).job_id for place in (Place.SUCCEEDED, Place.DEAD)]
    end_batches(tables, store, batch)

    pass_time(store, 29 * DAY)
    assert prune(store) + prune(store, Pruning.BATCHES) == 0
    assert there(store, members) == set(members)

    pass_time(store, 2 * DAY)
    assert prune(store) == 0
    assert prune(store, Pruning.BATCHES) == 2
    assert there(store, members) == set()
    assert tables.rows("batch") == []


def test_the_members_of_a_batch_that_has_not_ended_are_kept(store: Store) -> None:
    batch = make_batch(store)
    job_id = bring(store, Place.SUCCEEDED, batch=batch).job_id
    pass_time(store, 100 * DAY)

    assert prune(store) + prune(store, Pruning.BATCHES) == 0
    assert there(store, [job_id]) == {job_id}


def test_one_member_of_a_task_that_is_kept_keeps_the_whole_batch(
    store: Store, tables: Tables
) -> None:
    batch = make_batch(store)
    members = [
        bring(store, Place.SUCCEEDED, batch=batch).job_id,
        bring(store, Place.SUCCEEDED, batch=batch, queue="reports").job_id,
    ]
    end_batches(tables, store, batch)
    store.set_retention(Scope.QUEUE, "reports", Keep(succeeded=EVER_SECONDS), by=None)
    pass_time(store, 100 * DAY)
    assert prune(store) + prune(store, Pruning.BATCHES) == 0
    assert there(store, members) == set(members)

    store.reset_retention(Scope.QUEUE, "reports")
    assert prune(store, Pruning.BATCHES) == 2


def test_a_large_batch_goes_in_small_steps(store: Store, tables: Tables) -> None:
    batch = make_batch(store)
    for _ in range(7):
        bring(store, Place.SUCCEEDED, batch=batch)
    other = make_batch(store)
    bring(store, Place.SUCCEEDED, batch=other)
    end_batches(tables, store, batch, other)
    pass_time(store, 8 * DAY)

    assert store.prune(Pruning.BATCHES, limit=3).gone == 3
    assert len(tables.rows("batch")) == 2  # it stays until its last member has gone
    assert prune(store, Pruning.BATCHES, limit=3) == 5
    assert tables.rows("batch") == []


def test_a_batch_without_members_goes_too(store: Store, tables: Tables) -> None:
    end_batches(tables, store, make_batch(store))
    pass_time(store, 8 * DAY)
    prune(store, Pruning.BATCHES)

    assert tables.rows("batch") == []


@pytest.mark.parametrize("has_ended", [True, False])
def test_a_batch_is_kept_as_long_as_an_open_one_counts_it(
    store: Store, tables: Tables, *, has_ended: bool
) -> None:
    parent = make_batch(store)
    nested = make_batch(store, parent=parent)
    end_batches(tables, store, *([nested, parent] if has_ended else [nested]))
    pass_time(store, 8 * DAY)
    prune(store, Pruning.BATCHES)

    assert len(tables.rows("batch")) == (0 if has_ended else 2)


def test_a_live_member_keeps_its_batch(store: Store, tables: Tables) -> None:
    batch = make_batch(store)
    ended = bring(store, Place.SUCCEEDED, batch=batch).job_id
    live = enqueue_one(store, kind=GREET, batch=batch, delay_seconds=90 * DAY)
    end_batches(tables, store, batch)
    pass_time(store, 60 * DAY)

    assert prune(store, Pruning.BATCHES) == 0
    assert there(store, [ended, live]) == {ended, live}


def test_a_member_whose_result_another_job_may_want_keeps_its_batch(
    store: Store, tables: Tables
) -> None:
    batch = make_batch(store)
    first = bring(store, Place.SUCCEEDED, batch=batch).job_id
    end_batches(tables, store, batch)
    second = enqueue_one(store, delay_seconds=100 * DAY)
    prefix = "leasehold_" if store.url.startswith("sqlite:") else "leasehold."
    tables.execute(
        f"INSERT INTO {prefix}dependency (needs, job_id) VALUES ('{first}', '{second}')"  # noqa: S608
    )
    pass_time(store, 8 * DAY)
    assert prune(store, Pruning.BATCHES) == 0

    store.delete(second)
    assert prune(store, Pruning.BATCHES) == 1


def test_a_batch_that_is_gone_keeps_nobody(store: Store, tables: Tables) -> None:
    bring(store, Place.SUCCEEDED, batch=make_batch(store))
    prefix = "leasehold_" if store.url.startswith("sqlite:") else "leasehold."
    tables.execute(f"DELETE FROM {prefix}batch")  # noqa: S608
    pass_time(store, 8 * DAY)

    assert prune(store) == 1


def test_a_dry_run_counts_the_members(store: Store, tables: Tables) -> None:
    batch = make_batch(store)
    for _ in range(3):
        bring(store, Place.SUCCEEDED, batch=batch)
    end_batches(tables, store, batch)
    pass_time(store, 8 * DAY)

    assert prune(store, Pruning.BATCHES, dry_run=True) == 3
    assert len(tables.rows("job")) == 3
