"""Jobs that wait for others, beside ends, retries, cancels and enqueues that are not committed."""

from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor
from functools import partial
from typing import TYPE_CHECKING

import psycopg

from leasehold.model.ids import WorkerId
from leasehold.model.needs import Released
from leasehold.model.states import State
from leasehold.store.callers import bind_caller
from tests.conformance.kit import claim, look, new_job, new_jobs, settlement
from tests.conformance.needs_kit import NEEDED, end, enqueue_after, enqueue_needed, needs, sweep
from tests.conformance.tables import places
from tests.races.kit import mutate, mutate_function

if TYPE_CHECKING:
    import pytest

    from leasehold.model.ids import JobId
    from leasehold.store.postgres.store import PostgresStore
    from tests.conformance.tables import Tables
    from tests.races.kit import PostgresRace

FINISHERS = 8
ROUNDS = 5
LOOK = "mine := ARRAY (SELECT judged.job_id FROM leasehold.judge_needs(jobs, recent) AS judged);"
NO_LOOK = "mine := jobs;"
WRITTEN = """ON CONFLICT (job_id) DO UPDATE -- a write: a sweep that forgets it is waited for
  SET tenant = excluded.tenant"""


def let_go_by_the_last(race: PostgresRace) -> Released:
    """Let two end; the look after the first is not over yet when the second one's comes."""
    first, second = enqueue_needed(race.store), enqueue_needed(race.store)
    enqueue_after(race.store, first, second)
    end(race.store, first)
    with race.uncommitted() as side:
        assert side.store.release_dependents([first]) == Released()
        end(race.store, second)
        released = race.store.release_dependents([second])
        side.commit()
    return released


def test_of_two_that_end_at_once_the_last_lets_go(race: PostgresRace) -> None:
    assert let_go_by_the_last(race).let_go == {"default": 1}


def test_a_lock_before_the_first_look_leaves_it_to_the_other(race: PostgresRace) -> None:
    """The mutant: each of the two leaves it to the other, and only a sweep lets go."""
    with mutate_function(race.url, "release_dependents", LOOK, NO_LOOK):
        assert let_go_by_the_last(race) == Released()
    assert sweep(race.store).let_go == {"default": 1}


def test_however_many_finish_at_once_it_is_let_go_once(race: PostgresRace, tables: Tables) -> None:
    for _ in range(ROUNDS):
        all_needed = new_jobs(200, queue=NEEDED)
        race.store.enqueue(all_needed)
        job_id = enqueue_after(race.store, *(job.id for job in all_needed))
        with ThreadPoolExecutor(FINISHERS) as pool:
            let_go = list(pool.map(partial(finish_some, race.store), range(FINISHERS)))
        assert sum(let_go) == 1
        assert places(tables, job_id) == ["ready"]
        race.store.delete(job_id)


def finish_some(store: PostgresStore, number: int) -> int:
    """End needed jobs, a few at a time, until none is left; says how often it let one go."""
    worker, let_go = WorkerId(number + 1), 0
    while taken := claim(store, worker=worker, queues=[NEEDED], limit=7):
        store.finish(worker, [settlement(each, "succeeded") for each in taken])
        let_go += sum(store.release_dependents([each.job_id for each in taken]).let_go.values())
    return let_go


def retried_beside_a_sweep(race: PostgresRace) -> tuple[JobId, JobId]:
    """Cancel a waiting job, and retry it while a sweep forgets that it waits."""
    needed = enqueue_needed(race.store)
    job_id = enqueue_after(race.store, needed)
    race.store.cancel(job_id, by=None)
    with race.uncommitted() as side:
        assert side.store.retry(job_id) is State.BLOCKED
        sweep(race.store)
        side.commit()
    end(race.store, needed)
    return needed, job_id


def test_a_sweep_forgets_none_that_is_just_retried(race: PostgresRace) -> None:
    needed, _ = retried_beside_a_sweep(race)
    assert race.store.release_dependents([needed]).let_go == {"default": 1}


def test_a_mark_that_is_not_written_again_is_lost_to_a_sweep(
    race: PostgresRace, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The mutant: the retried one waits for ever."""
    mutate(monkeypatch, "retry_ended", WRITTEN, "ON CONFLICT DO NOTHING")
    needed, job_id = retried_beside_a_sweep(race)
    assert race.store.release_dependents([needed]) == Released()
    assert sweep(race.store) == Released()
    assert look(race.store, job_id).state is State.BLOCKED


def test_an_enqueue_that_commits_after_the_end_is_found_by_a_sweep(race: PostgresRace) -> None:
    needed = enqueue_needed(race.store)
    job = new_job(needs=needs(needed))
    with psycopg.connect(race.url) as connection:
        bind_caller(race.store, connection)([job])
        end(race.store, needed)
        assert race.store.release_dependents([needed]) == Released()
    assert sweep(race.store).let_go == {"default": 1}


def test_one_that_is_just_cancelled_is_not_let_go(race: PostgresRace, tables: Tables) -> None:
    needed = enqueue_needed(race.store)
    job_id = enqueue_after(race.store, needed)
    end(race.store, needed)
    with race.uncommitted() as side:
        assert side.store.cancel(job_id, by=None) is State.CANCELLED
        assert race.store.release_dependents([needed]) == Released()  # it waits for nobody
        side.commit()
    assert sweep(race.store) == Released()
    assert places(tables, job_id) == []
    assert look(race.store, job_id).state is State.CANCELLED


def test_two_looks_at_once_wait_for_nobody(race: PostgresRace) -> None:
    needed = enqueue_needed(race.store)
    enqueue_after(race.store, needed)
    end(race.store, needed)
    with race.uncommitted() as side:
        assert side.store.release_dependents([needed]).let_go == {"default": 1}
        assert race.store.release_dependents([needed]) == Released()
        assert sweep(race.store) == Released()
        side.roll_back()
    assert sweep(race.store).let_go == {"default": 1}


def test_one_whose_predecessor_was_just_retried_is_not_ended(race: PostgresRace) -> None:
    needed = enqueue_needed(race.store)
    job_id = enqueue_after(race.store, needed)
    end(race.store, needed, "dead")
    assert race.store.retry(needed) is State.QUEUED
    assert race.store.release_dependents([needed]) == Released()
    assert look(race.store, job_id).state is State.BLOCKED
