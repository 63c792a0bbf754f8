"""Find lists jobs newest first, by any filter, in pages that neither skip nor repeat."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pytest

from leasehold.model.states import State
from leasehold.model.values import Filter
from tests.conformance.kit import (
    STATE_OF,
    WORKER,
    Place,
    bring,
    claim,
    look,
    make_batch,
    new_id,
    new_job,
    new_jobs,
    settle,
    settlement,
)

if TYPE_CHECKING:
    from leasehold.model.ids import JobId
    from leasehold.store.base import Store


def find(store: Store, *, limit: int = 1000, **where: Any) -> list[JobId]:
    return [job.id for job in store.find(Filter(**where), before=None, limit=limit)]


def page_through(store: Store, *, limit: int, **where: Any) -> list[list[JobId]]:
    pages: list[list[JobId]] = []
    before: JobId | None = None
    while page := store.find(Filter(**where), before=before, limit=limit):
        pages.append([job.id for job in page])
        before = page[-1].id
    return pages


@pytest.fixture
def everywhere(store: Store) -> dict[Place, JobId]:
    """One job in each place, each in a queue of its own, so that none is claimed by mistake."""
    return {place: bring(store, place, queue=place).job_id for place in Place}


def test_nothing_is_found_in_an_empty_store(store: Store) -> None:
    assert find(store) == []
    for state in State:
        assert find(store, state=state) == []


@pytest.mark.parametrize("state", list(State))
def test_a_state_finds_the_jobs_in_it(
    store: Store, everywhere: dict[Place, JobId], state: State
) -> None:
    expected = {job_id for place, job_id in everywhere.items() if STATE_OF[place] is state}
    found = find(store, state=state)
    assert found == sorted(expected, reverse=True)


def test_no_filter_finds_every_job_newest_first(
    store: Store, everywhere: dict[Place, JobId]
) -> None:
    assert find(store) == sorted(everywhere.values(), reverse=True)


def test_what_is_found_is_what_get_returns(store: Store, everywhere: dict[Place, JobId]) -> None:
    for job in store.find(Filter(), before=None, limit=100):
        assert job == look(store, job.id)
    for state in State:
        for job in store.find(Filter(state=state), before=None, limit=100):
            assert job == look(store, job.id)


def test_queue_kind_tenant_and_batch_narrow_it_down(store: Store) -> None:
    batch = make_batch(store)
    jobs = {
        "queue": new_job(queue="mail"),
        "kind": new_job(kind="other"),
        "tenant": new_job(tenant="acme"),
        "batch": new_job(batch=batch),
    }
    store.enqueue([*jobs.values(), *new_jobs(3)])

    assert find(store, queue="mail") == [jobs["queue"].id]
    assert find(store, kind="other") == [jobs["kind"].id]
    assert find(store, tenant="acme") == [jobs["tenant"].id]
    assert find(store, batch=batch) == [jobs["batch"].id]
    assert len(find(store, tenant="")) == 6


@pytest.mark.parametrize("place", list(Place))
def test_filters_work_together_in_every_state(store: Store, place: Place) -> None:
    batch = make_batch(store, tenant="acme")
    options: dict[str, Any] = {"queue": "mail", "kind": "greet", "tenant": "acme", "batch": batch}
    bring(store, place, queue="default", kind="greet")
    wanted, _ = bring(store, place, **options)
    state = STATE_OF[place]

    assert find(store, state=state, **options) == [wanted]
    for name, value in options.items():
        where = options | {name: new_id() if name == "batch" else "nothing"}
        assert find(store, state=state, **where) == []
        assert wanted in find(store, state=state, **{name: value})


def test_the_limit_cuts_at_the_newest(store: Store) -> None:
    jobs = new_jobs(10)
    store.enqueue(jobs)
    assert find(store, limit=3) == [job.id for job in jobs[:-4:-1]]


@pytest.mark.parametrize("state", [None, State.QUEUED, State.SUCCEEDED, State.DEAD])
def test_pages_neither_skip_nor_repeat(store: Store, state: State | None) -> None:
    store.enqueue(new_jobs(25))
    if state in {State.SUCCEEDED, State.DEAD}:
        store.finish(WORKER, [settlement(taken, str(state)) for taken in claim(store)])

    pages = page_through(store, limit=10, state=state)
    assert [len(page) for page in pages] == [10, 10, 5]
    everyone = [job_id for page in pages for job_id in page]
    assert everyone == sorted(set(everyone), reverse=True)


def test_pages_of_queued_jobs_run_across_its_three_tables(store: Store) -> None:
    later = [new_job(delay_seconds=60.0) for _ in range(7)]
    strange = [new_job(kind="strange", queue="parked") for _ in range(7)]
    ready = [new_job() for _ in range(7)]
    store.enqueue([*later, *strange, *ready])
    claim(store, queues=["parked"])

    pages = page_through(store, limit=4, state=State.QUEUED)
    everyone = [job_id for page in pages for job_id in page]
    assert everyone == sorted((job.id for job in (*later, *strange, *ready)), reverse=True)


def test_newer_jobs_do_not_disturb_later_pages(store: Store) -> None:
    jobs = new_jobs(6)
    store.enqueue(jobs)
    first = store.find(Filter(), before=None, limit=3)
    store.enqueue(new_jobs(3))

    rest = store.find(Filter(), before=first[-1].id, limit=10)
    assert [job.id for job in rest] == [job.id for job in jobs[2::-1]]


def test_an_ended_job_is_found_by_its_last_outcome_only(store: Store) -> None:
    job_id, _ = bring(store, Place.DEAD)
    store.retry(job_id)
    assert find(store, state=State.DEAD) == []
    settle(store, claim(store)[0], "succeeded")

    assert find(store, state=State.DEAD) == []
    assert find(store, state=State.SUCCEEDED) == [job_id]
