"""The seed's own SQL runs on PostgreSQL as it stands; its polling without the lock."""

from __future__ import annotations

from datetime import timedelta
from typing import Any
from uuid import uuid4

import psycopg
import pytest
from sqlalchemy import text

import leasehold as lh
from leasehold.kit.data import Database
from leasehold_documents.data.binding import bind_member
from leasehold_documents.model.jobs import QUEUE
from tests.documents.access.kit import Two
from tests.documents.data import seed
from tests.documents.data.kit import enqueue, run

CLAIM = b"SELECT * FROM claim_next_job('dms-worker', interval '5 minutes')"


def value(sql: psycopg.Connection[Any], statement: str) -> Any:
    row = sql.execute(statement.encode()).fetchone()
    assert row is not None
    return row[0]


def test_the_three_widgets_run_verbatim(
    postgres: lh.Client, sql: psycopg.Connection[Any], tenants: Two
) -> None:
    for behave in ("well", "well", "die", "fail", "cancel"):
        enqueue(postgres, tenants.first, behave)
    run(postgres)
    for _ in range(3):
        enqueue(postgres, tenants.second)
    old = enqueue(postgres, tenants.first, "die")
    run_one = "UPDATE leasehold.job SET created_at = now() - interval '25 hours' WHERE id = %s"
    sql.execute(run_one.encode(), [old])
    assert value(sql, seed.IN_QUEUE) == 4
    assert value(sql, seed.FAILED) == 1
    assert timedelta() < value(sql, seed.AVERAGE) < timedelta(minutes=1)
    run(postgres)
    assert value(sql, seed.IN_QUEUE) == 0
    assert value(sql, seed.FAILED) == 1  # the other one is older than a day


def test_the_polling_query_names_the_job_that_is_claimed(
    postgres: lh.Client, sql: psycopg.Connection[Any], tenants: Two
) -> None:
    enqueue(postgres, tenants.first)
    enqueue(postgres, tenants.first, delay="1h", priority=9)
    urgent = enqueue(postgres, tenants.second, priority=5)
    assert value(sql, seed.POLLING) == urgent
    assert value(sql, CLAIM.decode()) == urgent


def test_a_claim_marks_the_job_running_in_the_same_step(
    postgres: lh.Client, sql: psycopg.Connection[Any], tenants: Two
) -> None:
    job_id = enqueue(postgres, tenants.first)
    cursor = sql.execute(CLAIM)
    assert cursor.description is not None
    names = [column.name for column in cursor.description]
    row = cursor.fetchone()
    assert row is not None
    claimed = dict(zip(names, row, strict=True))
    assert (claimed["id"], claimed["status"], claimed["attempts"]) == (job_id, "running", 1)
    assert claimed["started_at"] is not None
    assert postgres.get(job_id).state == lh.State.RUNNING
    assert sql.execute(CLAIM).fetchone() is None
    ended = "SELECT leasehold.settle(%s, %s, %s, %s)"
    given = [job_id, claimed["fence"], claimed["worker_id"], '{"page_count": 1}']
    sql.execute(ended, given)
    assert value(sql, f"SELECT status FROM jobs WHERE id = '{job_id}'") == "done"  # noqa: S608


def test_reading_the_view_locks_no_waiting_row(
    postgres: lh.Client, sql: psycopg.Connection[Any], tenants: Two
) -> None:
    job_id = enqueue(postgres, tenants.first)
    with psycopg.connect(postgres.url) as reader:
        for statement in (seed.POLLING, seed.IN_QUEUE, "SELECT * FROM jobs"):
            reader.execute(statement.encode()).fetchall()
        modes = reader.execute("SELECT DISTINCT mode FROM pg_locks WHERE pid = pg_backend_pid()")
        assert {mode for (mode,) in modes} <= {"AccessShareLock", "ExclusiveLock"}
        sql.execute("SET lock_timeout = '1s'")
        assert value(sql, CLAIM.decode()) == job_id  # while that transaction is open


def test_members_see_the_jobs_of_their_tenants_of_all_of_them(
    postgres: lh.Client, papers: Database, tenants: Two
) -> None:
    first, second = (enqueue(postgres, each) for each in (tenants.first, tenants.second))
    for user, tenant, seen in (
        (tenants.ada, None, {first}),
        (tenants.eve, None, {first, second}),
        (tenants.eve, tenants.second, {second}),
        (tenants.ada, tenants.second, set()),
        (uuid4(), None, set()),
    ):
        with papers.browse() as connection:
            bind_member(connection, user, tenant)
            assert set(connection.execute(text("SELECT id FROM jobs")).scalars()) == seen
            count = connection.scalar(text(seed.IN_QUEUE))
            assert count == len(seen)


def test_a_condition_that_tells_what_it_sees_is_asked_about_ones_own_jobs_alone(
    postgres: lh.Client, papers: Database, tenants: Two
) -> None:
    """Cheap as it says it is, the planner would ask it first."""
    for tenant in (tenants.first, tenants.second):
        enqueue(postgres, tenant)
    heard: list[str] = []
    with papers.read() as connection:
        driver: Any = connection.connection.driver_connection
        driver.add_notice_handler(lambda notice: heard.append(notice.message_primary))
        connection.execute(
            text(
                "CREATE FUNCTION pg_temp.tell(told text) RETURNS boolean LANGUAGE plpgsql"
                " COST 0.0001 AS $$ BEGIN RAISE NOTICE '%', told; RETURN true; END $$"
            )
        )
        bind_member(connection, tenants.ada, None)
        asked = "SELECT id FROM jobs WHERE pg_temp.tell(tenant_id::text)"
        assert len(connection.execute(text(asked)).all()) == 1
        connection.rollback()
    assert heard == [str(tenants.first)]


def test_a_member_can_neither_claim_nor_change_a_job(
    postgres: lh.Client, sql: psycopg.Connection[Any], tenants: Two
) -> None:
    enqueue(postgres, tenants.first)
    sql.execute("SET ROLE documents_member")
    for statement in (
        CLAIM,
        b"UPDATE jobs SET status = 'done'",
        b"DELETE FROM jobs",
        b"SELECT * FROM leasehold.job",
        b"SELECT leasehold.claim_next('x', '1 minute', '{documents}', '{extract_document}')",
    ):
        with pytest.raises(psycopg.Error):
            sql.execute(statement)
    sql.execute("SET ROLE documents_worker")
    assert sql.execute(CLAIM).fetchone() is not None


def test_questions_about_few_jobs_do_not_read_all_that_have_ended(
    postgres: lh.Client, sql: psycopg.Connection[Any], tenants: Two
) -> None:
    tenant = postgres.for_tenant(str(tenants.first))
    sql.execute(
        """
        WITH made AS (
          INSERT INTO leasehold.job (id, created_at, timeout_seconds, priority, max_attempts,
            tenant, queue, kind, args)
          SELECT gen_random_uuid(), now(), 60, 0, 4, %s, %s, 'extract_document', '{}'
          FROM generate_series(1, 20000)
          RETURNING id)
        INSERT INTO leasehold.outcome (job_id, attempt, state, failures, lapses, started_at,
          finished_at, tenant)
        SELECT id, 1, 'succeeded', 0, 0, now(), now(), %s FROM made
        """,
        [str(tenants.first), QUEUE, str(tenants.first)],
    )
    sql.execute("ANALYZE leasehold.job, leasehold.outcome")
    job_id = enqueue(postgres, tenants.first)
    assert tenant.get(job_id).tenant == str(tenants.first)
    one = f"SELECT * FROM jobs WHERE id = '{job_id}'"  # noqa: S608
    for statement in (seed.IN_QUEUE, seed.FAILED, seed.POLLING, one):
        plan = sql.execute(b"EXPLAIN (ANALYZE, FORMAT JSON) " + statement.encode()).fetchone()
        assert plan is not None
        assert most_rows(plan[0][0]["Plan"]) < 100, statement


def most_rows(node: dict[str, Any]) -> float:
    """Return how many rows the busiest step of a plan has met."""
    mine = float(node["Actual Rows"] + node.get("Rows Removed by Filter", 0))
    below = [most_rows(each) for each in node.get("Plans", [])]
    return max([mine * int(node["Actual Loops"]), *below])
