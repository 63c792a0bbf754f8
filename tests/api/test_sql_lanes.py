"""SQL can't slip past a throttle: what it leaves out is as the kind's task has it."""

from __future__ import annotations

from contextlib import closing
from typing import TYPE_CHECKING, Any

import psycopg
import pytest

from leasehold.model.ids import WorkerId
from leasehold.model.lanes import Rule
from leasehold.model.states import State
from leasehold.model.values import Job, TaskPolicy, WorkerInfo
from leasehold.store import open_store
from tests.conformance.kit import place_of

if TYPE_CHECKING:
    from collections.abc import Iterator

    from leasehold.store.base import Store

WORKER = WorkerId(1)
ARGUMENTS = '\'{"host": "a.com", "user": 7, "is_new": true}\''


@pytest.fixture
def store(postgres_url: str) -> Iterator[Store]:
    """A store that knows one kind with a throttle and a share."""
    enrich = TaskPolicy(
        kind="enrich",
        queue="links",
        priority=0,
        max_attempts=3,
        timeout_seconds=9.0,
        dies_on_lapse=False,
        throttle="domain",
        throttle_by=("host",),
        share_by=("user", "is_new"),
        cost=2.5,
    )
    worker = WorkerInfo(id=WORKER, name="w", queues=(), kinds=("enrich",), slots=1, version="1")
    with closing(open_store(postgres_url)) as store:
        store.migrate()
        store.register(worker, [enrich], [Rule(name="domain", rate=1.0, burst=10.0)])
        yield store


@pytest.fixture
def sql(store: Store) -> Iterator[psycopg.Connection[Any]]:
    with psycopg.connect(store.url, autocommit=True) as connection:
        yield connection


def enqueue(store: Store, sql: psycopg.Connection[Any], arguments: str) -> Job:
    row = sql.execute(f"SELECT leasehold.enqueue({arguments})".encode()).fetchone()
    assert row is not None
    job = store.get(row[0])
    assert job is not None
    return job


@pytest.mark.parametrize(
    ("arguments", "expected"),
    [
        (f"'enrich', {ARGUMENTS}", ("domain:a.com", "7:true", 2.5)),
        (f"'enrich', {ARGUMENTS}, share => 'u'", ("domain:a.com", "u", 2.5)),
        (f"'enrich', {ARGUMENTS}, throttle => 'domain:b', cost => 1", ("domain:b", "7:true", 1.0)),
        ("'other', throttle => 'domain:b'", ("domain:b", None, None)),
        ("'other', throttle => '@each:b', tenant => 'acme'", ("@each:b", None, None)),
    ],
)
def test_a_job_of_a_throttled_kind_waits_in_its_lane(
    store: Store, sql: psycopg.Connection[Any], arguments: str, expected: tuple[Any, ...]
) -> None:
    job = enqueue(store, sql, arguments)
    assert (job.lane, job.share, job.cost) == expected
    assert job.state is State.BLOCKED


@pytest.mark.parametrize(("arguments", "lane"), [("'other'", None), ("'other', share => 'u'", "")])
def test_a_job_without_a_throttle_is_queued(
    store: Store, sql: psycopg.Connection[Any], arguments: str, lane: str | None
) -> None:
    job = enqueue(store, sql, arguments)
    assert (job.lane, job.state) == (lane, State.QUEUED)


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        ("'enrich'", "host can't be part of a key"),
        ("'enrich', '{\"host\": null, \"user\": 7}'", "host can't be part of a key"),
        ("'enrich', '{\"host\": [1], \"user\": 7}'", "host can't be part of a key"),
        ('\'enrich\', \'{"host": "", "user": 7}\'', "must not be empty"),
        ("'other', throttle => E'domain:\\x1f'", "printable"),
        ("'other', throttle => E'@domain:globex\\x1ea', tenant => 'acme'", "printable"),
        ("'other', throttle => '@domain:a', tenant => E'acme\\x1e'", "printable"),
        ('\'enrich\', \'{"host": "a\\u001eb", "user": 7, "is_new": true}\'', "printable"),
        ("'other', share => E'\\n'", "printable"),
        ("'other', throttle => 'domain:b', queue => E'a\\x1fb'", "printable"),
        ("'other', throttle => repeat('x', 201)", "longer than 200"),
        ("'other', throttle => 'domain:b', cost => -1", "a number from 0 on"),
        ("'other', throttle => 'domain:b', cost => 'NaN'", "a number from 0 on"),
    ],
)
def test_what_can_not_be_a_place_is_refused(
    sql: psycopg.Connection[Any], arguments: str, said: str
) -> None:
    with pytest.raises(psycopg.Error, match=said) as refused:
        sql.execute(f"SELECT leasehold.enqueue({arguments})".encode())
    assert refused.value.sqlstate == "22023"


def test_settle_says_what_was_spent(store: Store, sql: psycopg.Connection[Any]) -> None:
    enqueue(store, sql, f"'enrich', {ARGUMENTS}")
    place = place_of("domain:a.com", queue="links", share="7:true")
    asked = {"places": [place], "worker": WORKER}
    row = sql.execute(
        "SELECT job_id, fence FROM leasehold.claim_lanes("
        "%(places)s, '{1}', 1, '{\"enrich\": 60}', %(worker)s, '0', false)",
        asked,
    ).fetchone()
    assert row is not None
    settle = "SELECT leasehold.settle(%s, %s, %s, spent => 4)"
    sql.execute(settle, (*row, WORKER))
    assert sql.execute("SELECT lane, amount FROM leasehold.charge").fetchall() == [
        ("domain:a.com", 1.5)
    ]
    with pytest.raises(psycopg.Error, match="does not stand"):
        sql.execute(settle, (*row, WORKER))
