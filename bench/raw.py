"""The storage's own limit: claim and finish on one connection, without a worker."""

from __future__ import annotations

import time
from datetime import UTC, datetime, timedelta
from typing import TYPE_CHECKING, Any
from uuid import UUID

import msgspec

from bench.draining import Plan, preload
from bench.fleet import BenchFailed
from bench.tasks import noop
from leasehold.model.ids import WorkerId
from leasehold.model.values import DEFAULT_LEASE_SECONDS, DEFAULT_QUEUE, Settlement, Want
from leasehold.store import open_store
from leasehold.store.sql import load as load_sql

if TYPE_CHECKING:
    from bench.database import Database, Figures, Size
    from leasehold.model.values import Claim
    from leasehold.store.postgres.connection import Connection

BATCH = 500
WORKER = WorkerId(1)
ELAPSED_SECONDS = 0.000_01  # what a no-op takes
LEASES = {noop.name: DEFAULT_LEASE_SECONDS}
_PACKAGE = "leasehold.store.postgres"
_JOB_ID, _FENCE, _CREATED_AT = 0, 1, 14  # columns of claim.sql
_encode = msgspec.json.Encoder().encode


def store_calls(database: Database, size: Size) -> Figures:
    """`store.claim` and `store.finish` in turn."""
    preload(database, size, Plan())
    database.settle_down()
    store = open_store(database.url).dedicated()
    try:
        store.check_schema()
        started = time.perf_counter()
        while claims := store.claim(
            WORKER, [Want(DEFAULT_QUEUE, BATCH)], limit=BATCH, leases=LEASES
        ):
            store.finish(WORKER, [_success(claim) for claim in claims])
        seconds = time.perf_counter() - started
    finally:
        store.close()
    return _figures(database, size, seconds)


def sql_statements(database: Database, size: Size) -> Figures:
    """The same two statements over plain psycopg: nothing is built of their rows but the next."""
    from leasehold.store.postgres.connection import connect
    from leasehold.store.postgres.rows import read_moment

    preload(database, size, Plan())
    database.settle_down()
    with connect(database.url, plans_once=True) as connection:
        started = time.perf_counter()
        after: tuple[datetime, UUID] = (datetime(1, 1, 1, tzinfo=UTC), UUID(int=0))
        while taken := _claim(connection, after):
            after = read_moment(taken[-1][_CREATED_AT]), taken[-1][_JOB_ID]
            _finish(connection, taken)
        seconds = time.perf_counter() - started
    return _figures(database, size, seconds)


def _claim(connection: Connection, after: tuple[datetime, UUID]) -> list[tuple[Any, ...]]:
    level = {
        "queue": DEFAULT_QUEUE,
        "priority": 0,
        "created_at": after[0],
        "job_id": after[1],
        "most": BATCH,
    }
    parameters = {
        "levels": _encode([level]).decode(),
        "is_suspect": False,
        "worker": WORKER,
        "queues": [DEFAULT_QUEUE],
        "limit": BATCH,
        "leases": _encode(LEASES).decode(),
        "skew": timedelta(0),
        "gate": None,
    }
    return connection.execute(load_sql(_PACKAGE, "claim"), parameters).fetchall()


def _finish(connection: Connection, taken: list[tuple[Any, ...]]) -> None:
    from leasehold.store.postgres.settling import columns

    settlements = [
        Settlement(job_id=row[_JOB_ID], fence=row[_FENCE], elapsed_seconds=ELAPSED_SECONDS)
        for row in taken
    ]
    parameters = {**columns(settlements), "worker": WORKER, "skew": timedelta(0)}
    connection.execute(load_sql(_PACKAGE, "finish"), parameters).fetchall()


def _success(claim: Claim) -> Settlement:
    return Settlement(
        job_id=claim.job_id,
        fence=claim.fence,
        outcome="succeeded",
        elapsed_seconds=ELAPSED_SECONDS,
    )


def _figures(database: Database, size: Size, seconds: float) -> Figures:
    outcomes = database.count_outcomes()
    if outcomes != {"succeeded": size.jobs} or database.count_standing():
        raise BenchFailed(f"attempts ended {outcomes}, not all {size.jobs} in success")
    return {"jobs_per_second": size.jobs / seconds}
