"""Claims from lanes beside each other, beside enqueues and beside workers that lost their leases.

A claim locks the turnstile of a key, then counts in a later statement. Nothing else locks it.
"""

from __future__ import annotations

from contextlib import contextmanager
from typing import TYPE_CHECKING

import psycopg
import pytest

from leasehold.errors import StoreRefused
from leasehold.model.ids import WorkerId
from leasehold.model.lanes import Ask, Rule
from tests.conformance.kit import (
    GREET,
    HOST,
    OTHER_HOST,
    WORKER,
    claim_lanes,
    declare,
    enqueue_one,
    new_jobs,
    place_of,
    settlement,
)

if TYPE_CHECKING:
    from collections.abc import Iterator

    from leasehold.model.values import Claim
    from tests.conformance.tables import Tables
    from tests.races.kit import PostgresRace

SECOND = WorkerId(2)
HERE, ELSEWHERE = place_of(HOST), place_of(HOST, queue="elsewhere")
API = "api"
API_ELSEWHERE = place_of(API, queue="elsewhere")
TURNSTILE = "(hashtext(key) & 8191) IN (SELECT unnest(mine))"


@pytest.fixture(autouse=True)
def two_at_once(race: PostgresRace) -> None:
    declare(race.store, Rule(name="domain", running=2), Rule(name=API, rate=1e-6, burst=3.0))


@contextmanager
def mutated_function(tables: Tables, guard: str, instead: str) -> Iterator[None]:
    """Take a guard out of the functions that lock and claim; it must be in one of them."""
    wholes = [
        row["whole"]
        for row in tables.execute(
            "SELECT pg_get_functiondef(oid) AS whole FROM pg_proc"
            " WHERE oid IN ('leasehold.lock_keys'::regproc, 'leasehold.claim_lanes'::regproc)"
        )
    ]
    whole = next(each for each in sorted(wholes, reverse=True) if guard in each)  # lock_keys first
    tables.execute(whole.replace(guard, instead, 1))
    try:
        yield
    finally:
        tables.execute(whole)


def running(tables: Tables, lane: str = HOST) -> int:
    return len([row for row in tables.rows("lease") if row["lane"] == lane])


# -- lock, then look -------------------------------------------------------------------------------
CLAIM = b"""
SELECT claimed.*
FROM (SELECT pg_advisory_xact_lock_shared(77) OFFSET 0) AS brake
CROSS JOIN LATERAL leasehold.claim_lanes(%(places)s, '{100}', 100, '{"greet": 60}', 2, '0', false)
  AS claimed
"""
CLAIM_LINES = b"""
SELECT claimed.*
FROM (SELECT pg_advisory_xact_lock_shared(77) OFFSET 0) AS brake
CROSS JOIN LATERAL leasehold.claim_lines(
  %(places)s, '{100}', 16, 8, '{greet}', '{"greet": 60}', 2, '0')
  AS claimed
"""
CLAIM_IN_ONE = b"""
WITH brake AS MATERIALIZED (SELECT pg_advisory_xact_lock_shared(77)),
mine AS MATERIALIZED (
  SELECT locked.number
  FROM brake
  CROSS JOIN LATERAL (
    SELECT number FROM leasehold.turnstile
    WHERE number = hashtext(%(lane)s::text) & 8191
    FOR UPDATE SKIP LOCKED
  ) AS locked
),
room AS MATERIALIZED (
  SELECT 2 - (SELECT count(*) FROM leasehold.lease WHERE lane = %(lane)s) AS most FROM mine
),
taken AS (
  DELETE FROM leasehold.waiting
  WHERE ctid = ANY (ARRAY (
    SELECT picked.ctid
    FROM room
    CROSS JOIN LATERAL (
      SELECT ctid FROM leasehold.waiting
      WHERE place = ANY (%(places)s)
      LIMIT room.most
      FOR UPDATE SKIP LOCKED
    ) AS picked
  ))
  RETURNING *
)
INSERT INTO leasehold.lease (job_id, fence, worker, claimed_at, until, lease_seconds, attempt,
  failures, lapses, priority, lane)
SELECT job_id, 1, 2, now(), now(), 60, 1, 0, 0, 0, lane
FROM taken
"""


def claim_while_another_does(race: PostgresRace, statement: bytes) -> None:
    """Let a claim begin, another take all that there is room for, and the first go on only then."""
    race.store.enqueue([*new_jobs(3, lane=HOST), *new_jobs(3, lane=HOST, queue="elsewhere")])
    with race.uncommitted() as brake, psycopg.connect(race.url, autocommit=True) as slow:
        brake.connection.execute("SELECT pg_advisory_xact_lock(77)")
        given = {"places": [ELSEWHERE], "lane": HOST}
        begun = race.start(lambda: slow.execute(statement, given))
        race.wait_until_blocked(brake, begun)
        assert len(claim_lanes(race.store, HERE)) == 2
        brake.roll_back()
        begun.result(10)


@pytest.mark.parametrize("claim", [CLAIM, CLAIM_LINES], ids=["lanes", "lines"])
def test_a_claim_counts_what_was_committed_after_it_began(
    race: PostgresRace, tables: Tables, claim: bytes
) -> None:
    claim_while_another_does(race, claim)
    assert running(tables) == 2


def test_mutant_a_claim_that_locks_and_counts_in_one_statement_takes_too_many(
    race: PostgresRace, tables: Tables
) -> None:
    claim_while_another_does(race, CLAIM_IN_ONE)
    assert running(tables) == 4


@pytest.mark.parametrize(("lane", "slots"), [(HOST, 2), (API, None)], ids=["free", "rated"])
def test_of_lanes_where_nothing_waits_only_those_that_lines_pass_by_are_left(
    race: PostgresRace, lane: str, slots: int | None
) -> None:
    with psycopg.connect(race.store.url) as connection:
        found = connection.execute(
            "SELECT lane, job_id, slots"
            " FROM leasehold.claim_lines("
            """%s, '{100}', 16, 8, '{greet}', '{"greet": 60}', 2, '0')""",
            [[place_of(lane)]],
        ).fetchall()
    assert found == [(lane, None, slots)]


def claim_in_an_old_snapshot(race: PostgresRace) -> list[Claim]:
    """Claim in a REPEATABLE READ transaction that began before another claim."""
    race.store.enqueue([*new_jobs(3, lane=HOST), *new_jobs(3, lane=HOST, queue="elsewhere")])
    with race.uncommitted() as side:
        side.connection.isolation_level = psycopg.IsolationLevel.REPEATABLE_READ
        side.connection.execute("SELECT FROM leasehold.lease")
        assert len(claim_lanes(race.store, HERE)) == 2
        taken = claim_lanes(side.store, ELSEWHERE, worker=SECOND)
        side.commit()
    return taken


def test_a_claim_in_a_transaction_that_can_not_count_is_refused(
    race: PostgresRace, tables: Tables
) -> None:
    with pytest.raises(StoreRefused, match="READ COMMITTED"):
        claim_in_an_old_snapshot(race)
    assert running(tables) == 2


def test_mutant_without_that_refusal_it_takes_too_many(race: PostgresRace, tables: Tables) -> None:
    with mutated_function(tables, "<> 'read committed'", "= 'nothing'"):
        assert len(claim_in_an_old_snapshot(race)) == 2
    assert running(tables) == 4


# -- the turnstile ---------------------------------------------------------------------------------
def test_a_claim_that_is_held_open_stops_its_own_key_alone_and_nobody_waits(
    race: PostgresRace,
) -> None:
    race.store.enqueue([*new_jobs(4, lane=HOST), *new_jobs(2, lane=OTHER_HOST)])
    with race.uncommitted() as side:
        assert len(claim_lanes(side.store, HERE)) == 2
        same = race.start(lambda: claim_lanes(race.store, HERE, worker=SECOND))
        assert same.result(5) == []
        other = race.start(lambda: claim_lanes(race.store, place_of(OTHER_HOST), worker=SECOND))
        assert len(other.result(5)) == 2
        race.start(lambda: enqueue_one(race.store, lane=HOST)).result(5)
        side.roll_back()
    assert len(claim_lanes(race.store, HERE)) == 2


@pytest.mark.parametrize("short", [(), (GREET,)], ids=["lanes", "lines"])
def test_a_claim_names_the_keys_that_another_one_has_and_no_others(
    race: PostgresRace, short: tuple[str, ...]
) -> None:
    full = place_of("domain:full")
    places = [HERE, place_of(OTHER_HOST), full]
    race.store.enqueue([*new_jobs(4, lane=HOST), *new_jobs(2, lane="domain:full")])
    assert len(claim_lanes(race.store, full)) == 2
    asks, leases = [Ask(place, 1) for place in places], {GREET: 60.0}
    with race.uncommitted() as side:
        assert len(claim_lanes(side.store, HERE)) == 2
        taken = race.store.claim_lanes(SECOND, asks, limit=100, leases=leases, short=short)
        assert taken == ([], [HERE])
        side.roll_back()
    taken = race.store.claim_lanes(SECOND, asks, limit=100, leases=leases, short=short)
    assert len(taken.claims) > 0
    assert taken.busy == []


def test_mutant_without_skip_locked_it_waits(race: PostgresRace, tables: Tables) -> None:
    race.store.enqueue(new_jobs(4, lane=HOST))
    with (
        mutated_function(tables, "FOR UPDATE SKIP LOCKED", "FOR UPDATE"),
        race.uncommitted() as side,
    ):
        assert len(claim_lanes(side.store, HERE)) == 2
        waiting = race.start(lambda: claim_lanes(race.store, HERE, worker=SECOND))
        race.wait_until_blocked(side, waiting)
        side.commit()
        assert waiting.result(10) == []


def test_mutant_without_the_turnstile_two_at_once_take_too_many(
    race: PostgresRace, tables: Tables
) -> None:
    race.store.enqueue(new_jobs(6, lane=HOST))
    with mutated_function(tables, TURNSTILE, "true"), race.uncommitted() as side:
        assert len(claim_lanes(side.store, HERE)) == 2
        assert len(claim_lanes(race.store, HERE, worker=SECOND)) == 2
        side.commit()
    assert running(tables) == 4


def test_a_rate_is_used_up_by_one_claim_at_a_time(race: PostgresRace) -> None:
    race.store.enqueue([*new_jobs(3, lane=API), *new_jobs(3, lane=API, queue="elsewhere")])
    with race.uncommitted() as side:
        assert len(claim_lanes(side.store, place_of(API))) == 3
        beside = race.start(lambda: claim_lanes(race.store, API_ELSEWHERE, worker=SECOND))
        assert beside.result(5) == []
        side.commit()
    assert claim_lanes(race.store, API_ELSEWHERE, worker=SECOND) == []


def test_mutant_a_bucket_that_is_filled_without_the_turnstile_runs_over(
    race: PostgresRace, tables: Tables
) -> None:
    race.store.enqueue([*new_jobs(3, lane=API), *new_jobs(3, lane=API, queue="elsewhere")])
    with mutated_function(tables, TURNSTILE, "true"):
        beside = race.run_beside(
            lambda store: claim_lanes(store, place_of(API)),
            lambda: claim_lanes(race.store, API_ELSEWHERE, worker=SECOND),
        )
    assert len(beside) == 3
    assert running(tables, API) == 6


def test_who_refills_waits_for_the_claim_that_is_under_way(race: PostgresRace) -> None:
    race.store.enqueue(new_jobs(6, lane=API))
    assert race.run_beside(
        lambda store: claim_lanes(store, place_of(API)),
        lambda: race.store.refill_throttle(API),
    )
    assert len(claim_lanes(race.store, place_of(API))) == 3


# -- enqueue ---------------------------------------------------------------------------------------
def test_an_idle_callers_transaction_with_throttled_jobs_delays_no_claim_and_no_finish(
    race: PostgresRace,
) -> None:
    race.store.enqueue(new_jobs(4, lane=HOST))
    with race.uncommitted() as caller:
        caller.store.enqueue([*new_jobs(3, lane=HOST), *new_jobs(3, lane=OTHER_HOST)])
        first = race.start(lambda: claim_lanes(race.store, HERE)).result(5)
        assert len(first) == 2
        ends = [settlement(taken, "succeeded") for taken in first]
        settled = race.start(lambda: race.store.finish(WORKER, ends)).result(5)
        assert settled == ["settled", "settled"]
        assert len(race.start(lambda: claim_lanes(race.store, HERE)).result(5)) == 2
        # A key that nobody has used before but the open transaction.
        race.start(lambda: enqueue_one(race.store, lane=OTHER_HOST)).result(5)
        found = race.start(lambda: claim_lanes(race.store, place_of(OTHER_HOST))).result(5)
        assert len(found) == 1
        caller.commit()
    assert len(claim_lanes(race.store, place_of(OTHER_HOST))) == 1


def test_mutant_an_enqueue_that_makes_a_row_for_its_key_stops_the_next_one(
    race: PostgresRace,
) -> None:
    row = b"""
        INSERT INTO leasehold.share (name, weight, updated_at)
        VALUES ('domain:a.com', 1, now())
        ON CONFLICT DO NOTHING
        """
    with race.uncommitted() as caller, race.uncommitted() as other:
        caller.connection.execute(row)
        second = race.start(lambda: other.connection.execute(row))
        race.wait_until_blocked(caller, second)
        caller.commit()
        second.result(10)


def test_what_an_enqueue_writes_is_unique_by_the_job_alone(tables: Tables) -> None:
    """Then no enqueue can wait for another one's open transaction, unless it is the same job."""
    found = tables.execute(
        """
        SELECT indexrelid::regclass::text AS name, array_agg(attname::text) AS columns
        FROM pg_index
        JOIN pg_attribute ON attrelid = indexrelid
        WHERE indisunique
          AND indrelid = ANY ('{leasehold.job, leasehold.ready, leasehold.scheduled,
            leasehold.waiting}'::regclass[])
        GROUP BY indexrelid
        """
    )
    assert len(found) == 6
    assert all({"id", "job_id"} & set(row["columns"]) for row in found), found
