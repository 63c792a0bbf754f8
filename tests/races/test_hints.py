"""A claim scans on from where the last one ended; what stands before that place is found soon."""

from __future__ import annotations

import time
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any

import msgspec
import psycopg
import pytest

from leasehold.model.values import Want
from leasehold.store.postgres import levels
from leasehold.store.postgres.claiming import ClaimRequest
from leasehold.store.postgres.levels import Found
from leasehold.store.sql import load
from tests.conformance.kit import (
    GREET,
    WORKER,
    claim,
    enqueue_one,
    new_job,
    new_jobs,
    pass_time,
    promote,
    settle,
)

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from leasehold.model.ids import JobId
    from leasehold.store.postgres.store import PostgresStore
    from tests.races.kit import PostgresRace

PACKAGE = "leasehold.store.postgres"
FOUND_SECONDS = (
    levels.HEAD_MOST_SECONDS + 1.0
)  # half a second, and a wide margin for a busy machine
CROWD = 3_000


@pytest.fixture
def from_head() -> None:
    """Leave the hints on: they are what is tested."""


@contextmanager
def late_commit(race: PostgresRace) -> Iterator[Callable[[], JobId]]:
    """A job whose enqueue began before all others and commits after they were claimed."""
    with race.uncommitted() as side:
        job = new_job()
        side.store.enqueue([job])

        def appear() -> JobId:
            side.commit()
            return job.id

        yield appear


@contextmanager
def released(race: PostgresRace) -> Iterator[Callable[[], JobId]]:
    """The oldest job, claimed first and handed back later."""
    job_id = enqueue_one(race.store)
    (taken,) = claim(race.store, limit=1)

    def appear() -> JobId:
        settle(race.store, taken, "released")
        return job_id

    yield appear


@contextmanager
def promoted(race: PostgresRace) -> Iterator[Callable[[], JobId]]:
    """The oldest job, which falls due later."""
    job_id = enqueue_one(race.store, delay_seconds=5.0)

    def appear() -> JobId:
        pass_time(race.store, 6)
        assert promote(race.store) == 1
        return job_id

    yield appear


@contextmanager
def urgent(race: PostgresRace) -> Iterator[Callable[[], JobId]]:
    """A job of a priority that nobody had used before."""
    yield lambda: enqueue_one(race.store, priority=99)


BEFORE_THE_HINT = {
    "late": late_commit,
    "released": released,
    "promoted": promoted,
    "urgent": urgent,
}


def seconds_until_found(race: PostgresRace, how: str, limit: float) -> float | None:
    """How long claims of a busy worker pass a job by that has appeared before their hint."""
    with BEFORE_THE_HINT[how](race) as appear:
        race.store.enqueue(new_jobs(CROWD))
        assert len(claim(race.store, limit=50)) == 50
        job_id = appear()
        appeared_at = time.monotonic()
        for _ in range(CROWD - 100):
            (taken,) = claim(race.store, limit=1)  # never empty: there is a crowd behind the hint
            elapsed = time.monotonic() - appeared_at
            if taken.job_id == job_id:
                return elapsed
            if elapsed > limit:
                return None
    return None


@pytest.mark.parametrize("how", BEFORE_THE_HINT)
def test_a_job_that_sorts_before_the_hint_is_found_soon(race: PostgresRace, how: str) -> None:
    elapsed = seconds_until_found(race, how, FOUND_SECONDS)
    assert elapsed is not None


@pytest.mark.parametrize("how", BEFORE_THE_HINT)
def test_mutant_without_scans_from_the_head_it_stays_hidden(
    race: PostgresRace, how: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(levels, "HEAD_LEAST_SECONDS", float("inf"))
    monkeypatch.setattr(levels, "HEAD_MOST_SECONDS", float("inf"))
    assert seconds_until_found(race, how, FOUND_SECONDS) is None


def test_an_idle_workers_hint_hides_nothing_for_more_than_two_looks(race: PostgresRace) -> None:
    race.store.enqueue(new_jobs(10))
    first = claim(race.store, limit=10)
    settle(race.store, first[0], "released")
    deadline = time.monotonic() + 5
    looks = 1
    while not claim(race.store) and time.monotonic() < deadline:
        looks += 1
        time.sleep(0.02)  # the claimer's own pause before its second look
    assert looks <= 3


def load_ready(connection: psycopg.Connection[Any], count: int) -> None:
    connection.execute(
        """
        WITH made AS (
          INSERT INTO leasehold.job (id, queue, kind, args, priority, max_attempts,
            timeout_seconds, created_at)
          SELECT ('00000000-0000-7000-8000-' || lpad(n::text, 12, '0'))::uuid, 'default', 'greet',
            '{}', 0, 5, 60, now() - interval '1 day' + n * interval '1 millisecond'
          FROM generate_series(1, %s) AS n
          RETURNING id, created_at
        )
        INSERT INTO leasehold.ready (job_id, queue, priority, created_at, kind)
        SELECT id, 'default', 0, created_at, 'greet'
        FROM made
        ORDER BY random()  -- each row of the index leads to another block than the one before
        """,
        (count,),
    )


def blocks_of_a_claim(race: PostgresRace, store: PostgresStore, limit: int) -> int:
    """Count the blocks that the next claim would touch, without claiming."""
    wants = [Want("default", limit)]
    scans = store._claims[False]._levels.scans(wants)
    request = ClaimRequest(WORKER, wants, limit, {GREET: 60.0}, store._skew)
    with race.uncommitted() as side:
        cursor = psycopg.ClientCursor(side.connection)
        parameters = request.parameters() | {
            "levels": _json(scans),
            "queues": ["default"],
            "is_suspect": False,
        }
        side.connection.execute("SET LOCAL enable_seqscan = off")
        side.connection.execute("SET LOCAL enable_hashjoin = off")
        side.connection.execute("SET LOCAL enable_mergejoin = off")
        explain = b"EXPLAIN (ANALYZE, BUFFERS, FORMAT JSON) " + load(PACKAGE, "claim").encode()
        row = cursor.execute(explain, parameters).fetchone()
    assert row is not None
    plan = row[0][0]["Plan"]
    return int(plan["Shared Hit Blocks"]) + int(plan["Shared Read Blocks"])


def _json(value: object) -> str:
    return msgspec.json.encode(value).decode()


def test_under_a_pinned_snapshot_a_claim_visits_a_bounded_number_of_rows(
    race: PostgresRace, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Deleted rows stay for as long as an old snapshot might see them; the hint goes past them."""
    monkeypatch.setattr(levels, "HEAD_LEAST_SECONDS", float("inf"))
    monkeypatch.setattr(levels, "HEAD_MOST_SECONDS", float("inf"))
    with race.uncommitted() as loader:
        load_ready(loader.connection, 20_000)
        loader.commit()
    with race.uncommitted() as pin:
        pin.connection.execute("SET TRANSACTION ISOLATION LEVEL REPEATABLE READ")
        pin.connection.execute("SELECT count(*) FROM leasehold.ready")
        for _ in range(38):
            assert len(claim(race.store, limit=500)) == 500
        hinted = blocks_of_a_claim(race, race.store, 100)
        fresh = race.store.dedicated()
        fresh._claims[False]._levels.restart([Found("default", 0)], frozenset({"default"}), 0.0)
        from_the_head = blocks_of_a_claim(race, fresh, 100)
        fresh.close()
    # 100 rows are deleted, joined and inserted either way; the rest is the walk over the dead.
    assert hinted < 5_000
    assert from_the_head > hinted + 10_000
