"""Jobs are taken away beside operators who retry them, and keys beside those who ask for them."""

from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor
from contextlib import ExitStack, closing
from typing import TYPE_CHECKING

import psycopg
import pytest

from leasehold.model.keeping import DAY_SECONDS, Pruning
from leasehold.model.keys import Unique
from leasehold.model.states import State
from leasehold.store import open_store
from tests.conformance.kit import (
    Place,
    bring,
    claim_one,
    enqueue_one,
    look,
    new_job,
    pass_time,
    settle,
    start_one,
)
from tests.conformance.tables import open_tables
from tests.races.kit import PATIENCE_SECONDS, mutate_function

if TYPE_CHECKING:
    from collections.abc import Iterator

    from leasehold.store.base import Store
    from tests.conformance.tables import Tables
    from tests.races.kit import PostgresRace

LOCK = "due := ARRAY (SELECT id FROM leasehold.job WHERE id = ANY (due)"
SECOND_LOOK = "leasehold.erase(leasehold.past_their_time(due, late_seconds, moment))"
HELD = f"PERFORM pg_advisory_xact_lock(7); {LOCK}"
OVER = 31 * DAY_SECONDS


def retry_in_the_middle(race: PostgresRace, mutant: str | None = None) -> State | None:
    """Retry a job, and let it end anew, between prune's look and its lock; returns its state."""
    job_id = bring(race.store, Place.DEAD).job_id
    pass_time(race.store, OVER)
    with ExitStack() as stack:
        stack.enter_context(mutate_function(race.url, "prune_jobs", LOCK, HELD))
        if mutant is not None:
            stack.enter_context(mutate_function(race.url, "prune_jobs", SECOND_LOOK, mutant))
        gate = stack.enter_context(closing(psycopg.connect(race.url, autocommit=True)))
        gate.execute("SELECT pg_advisory_lock(7)")
        running = race.start(lambda: race.store.prune(Pruning.JOBS))
        race.wait_until_waiting(1)
        assert race.store.retry(job_id) is State.QUEUED
        settle(race.store, claim_one(race.store), "dead", error="again")
        gate.execute("SELECT pg_advisory_unlock(7)")
        running.result(PATIENCE_SECONDS)
    job = race.store.get(job_id)
    return None if job is None else job.state


def test_a_job_that_was_retried_and_ended_anew_just_now_is_kept(race: PostgresRace) -> None:
    assert retry_in_the_middle(race) is State.DEAD


def test_without_the_second_look_it_would_be_lost(race: PostgresRace) -> None:
    assert retry_in_the_middle(race, mutant="leasehold.erase(due)") is None


def test_what_an_operator_has_locked_is_left_for_the_next_walk(race: PostgresRace) -> None:
    locked = bring(race.store, Place.DEAD).job_id
    free = bring(race.store, Place.DEAD).job_id
    pass_time(race.store, OVER)

    with race.uncommitted() as side:
        assert side.store.retry(locked) is State.QUEUED
        assert race.start(lambda: race.store.prune(Pruning.JOBS)).result(PATIENCE_SECONDS).gone == 1
        side.commit()

    assert race.store.get(free) is None
    assert look(race.store, locked).state is State.QUEUED


def take_key_in_the_middle(race: PostgresRace) -> bool:
    """Let somebody take an old key between prune's lock and its look; says whether it is there."""
    settle(race.store, start_one(race.store, unique=Unique(key="k")), "succeeded")
    pass_time(race.store, OVER)
    race.store.prune(Pruning.JOBS)
    held = "PERFORM pg_advisory_xact_lock(7); IF is_dry THEN"
    with ExitStack() as stack:
        stack.enter_context(mutate_function(race.url, "prune_keys", "IF is_dry THEN", held))
        gate = stack.enter_context(closing(psycopg.connect(race.url, autocommit=True)))
        gate.execute("SELECT pg_advisory_lock(7)")
        pruning = race.start(lambda: race.store.prune(Pruning.KEYS))
        race.wait_until_waiting(1)
        asking = race.start(lambda: race.store.enqueue([new_job(unique=Unique(key="k"))]))
        race.wait_until_waiting(2)  # for the key's row
        gate.execute("SELECT pg_advisory_unlock(7)")
        pruning.result(PATIENCE_SECONDS)
        asking.result(PATIENCE_SECONDS)
    return race.store.key("k", tenant="") is not None


def test_who_asks_for_a_key_that_is_just_forgotten_gets_it_anew(race: PostgresRace) -> None:
    assert take_key_in_the_middle(race)


@pytest.fixture
def raw(store_url: str) -> Iterator[Tables]:
    with open_tables(store_url) as opened:
        yield opened


def test_retries_beside_a_walk_lose_no_live_job(store: Store, store_url: str, raw: Tables) -> None:
    ids = [enqueue_one(store) for _ in range(200)]
    for job_id in ids:
        assert store.cancel(job_id, by=None) is State.CANCELLED
    pass_time(store, OVER)

    def retry_each() -> list[State | None]:
        with closing(open_store(store_url)) as other:
            other.skew_seconds = store.skew_seconds
            return [other.retry(job_id) for job_id in reversed(ids)]

    with ThreadPoolExecutor(1) as pool:
        retrying = pool.submit(retry_each)
        cursor: str | None = ""
        while cursor is not None:
            cursor = store.prune(Pruning.JOBS, cursor or None, limit=7).cursor
        retried = retrying.result(PATIENCE_SECONDS)

    alive = {str(row["job_id"]) for row in raw.rows("ready")}
    assert alive == {str(row["id"]) for row in raw.rows("job")}
    assert len(alive) == sum(state is State.QUEUED for state in retried)
