"""SQL is an API: `SELECT leasehold.enqueue(…)` from any client of PostgreSQL."""

from __future__ import annotations

import time
from contextlib import closing
from typing import TYPE_CHECKING, Any
from uuid import UUID

import psycopg
import pytest

import leasehold as lh
from leasehold.store import open_store

if TYPE_CHECKING:
    from collections.abc import Iterator

    from leasehold.store.base import Store

ENQUEUE = "SELECT leasehold.enqueue('mail.send', '{\"to\": 7}'"


@lh.task(name="mail.send", queue="mail", priority=3, max_attempts=2, timeout="9s")
def send(to: int) -> int:
    return 2 * to


@pytest.fixture
def store(postgres_url: str) -> Iterator[Store]:
    with closing(open_store(postgres_url)) as store:
        store.migrate()
        yield store


@pytest.fixture
def sql(store: Store) -> Iterator[psycopg.Connection[Any]]:
    with psycopg.connect(store.url) as connection:
        yield connection


def call(sql: psycopg.Connection[Any], statement: str) -> Any:
    row = sql.execute(statement.encode()).fetchone()
    assert row is not None
    return row[0]


def test_a_job_that_sql_enqueued_is_run(store: Store, sql: psycopg.Connection[Any]) -> None:
    job_id = call(sql, f"{ENQUEUE}, queue => 'mail')")
    sql.commit()
    client = lh.Client(store=store)
    lh.Worker(client, [send]).run(until_empty=True)

    job = client.get(job_id)
    assert (job.state, job.result) == (lh.State.SUCCEEDED, 14)


def test_what_sql_leaves_out_is_as_the_task_was_registered(
    store: Store, sql: psycopg.Connection[Any]
) -> None:
    client = lh.Client(store=store)
    lh.Worker(client, [send]).run(until_empty=True)
    job_id = call(sql, f"{ENQUEUE})")
    sql.commit()

    job = client.get(job_id)
    assert (job.queue, job.priority, job.max_attempts, job.timeout_seconds) == ("mail", 3, 2, 9.0)


def test_options_are_taken(store: Store, sql: psycopg.Connection[Any]) -> None:
    job_id = call(
        sql,
        f"{ENQUEUE}, queue => 'q', priority => 9, max_attempts => 8, delay => '1 hour',"
        " tenant => 'acme', created_by => 'a trigger')",
    )
    sql.commit()

    job = lh.Client(store=store).get(job_id)
    assert (job.queue, job.priority, job.max_attempts) == ("q", 9, 8)
    assert (job.tenant, job.created_by, job.args) == ("acme", "a trigger", {"to": 7})
    assert job.run_at is not None
    assert 3590 < (job.run_at - job.created_at).total_seconds() < 3610


def test_rolled_back_it_never_was(store: Store, sql: psycopg.Connection[Any]) -> None:
    job_id = call(sql, f"{ENQUEUE})")
    sql.rollback()

    with pytest.raises(lh.JobNotFound):
        lh.Client(store=store).get(job_id)


def test_the_same_id_is_the_same_job(store: Store, sql: psycopg.Connection[Any]) -> None:
    job_id = UUID("01890000-0000-7000-8000-000000000001")
    for _ in range(2):
        assert call(sql, f"{ENQUEUE}, id => '{job_id}')") == job_id
    sql.commit()
    assert len(lh.Client(store=store).find()) == 1

    with pytest.raises(psycopg.Error, match=str(job_id)) as refused:
        call(sql, f"SELECT leasehold.enqueue('mail.other', id => '{job_id}')")
    assert refused.value.sqlstate == "LH001"


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        ("''", "kind must not be empty"),
        ("NULL", "kind must not be empty"),
        ("'a', '[1]'", "args must be a JSON object"),
        ("'a', NULL", "args must be a JSON object"),
    ],
)
def test_bad_input_is_a_clear_error(
    sql: psycopg.Connection[Any], arguments: str, said: str
) -> None:
    with pytest.raises(psycopg.Error, match=said):
        call(sql, f"SELECT leasehold.enqueue({arguments})")


def test_new_ids_are_of_version_seven_and_of_now(sql: psycopg.Connection[Any]) -> None:
    made = [call(sql, "SELECT leasehold.new_id()") for _ in range(200)]

    assert len(set(made)) == 200
    assert {each.version for each in made} == {7}
    for each in made:
        assert abs((each.int >> 80) / 1000 - time.time()) < 30


def test_notify_wakes_a_worker_at_the_commit(store: Store, sql: psycopg.Connection[Any]) -> None:
    with closing(store.dedicated()) as own:
        waker = own.waker(frozenset({"mail"}))
        while waker.wait(0.01):  # once, when it begins to listen
            pass
        call(sql, f"{ENQUEUE}, queue => 'mail', notify => true)")
        assert not waker.wait(0.05)
        sql.commit()
        assert waker.wait(10)
        waker.close()


def test_a_trigger_enqueues_inside_the_transaction_that_fired_it(
    store: Store, sql: psycopg.Connection[Any]
) -> None:
    sql.execute("""
        CREATE TABLE account (id integer);
        CREATE FUNCTION welcome() RETURNS trigger LANGUAGE plpgsql AS $$
        BEGIN
          PERFORM leasehold.enqueue('mail.send', jsonb_build_object('to', NEW.id));
          RETURN NEW;
        END $$;
        CREATE TRIGGER welcome AFTER INSERT ON account FOR EACH ROW EXECUTE FUNCTION welcome()
    """)
    sql.commit()
    sql.execute("INSERT INTO account SELECT generate_series(1, 5)")
    sql.rollback()
    assert lh.Client(store=store).find() == []
    sql.execute("INSERT INTO account SELECT generate_series(1, 5)")
    sql.commit()

    found = lh.Client(store=store).find(kind="mail.send")
    assert sorted(job.args["to"] for job in found) == [1, 2, 3, 4, 5]
