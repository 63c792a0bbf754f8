"""A handler that is interrupted while it writes leaves no lock and no connection behind."""

from __future__ import annotations

from datetime import UTC, datetime
from uuid import uuid4

from sqlalchemy import delete, insert, text

import leasehold as lh
from leasehold.kit.data import Database, database_of
from leasehold_sync.data.tables import state

TIMES = 3
# Takes longer than the handler may: so it is struck in the midst of a statement.
SLOW = {
    "sqlite": "WITH RECURSIVE n (i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 1000000)"
    " SELECT count(*) FROM n",
    "postgresql": "SELECT pg_sleep(0.3)",
}


@lh.task(name="write for ever", timeout="50ms", max_attempts=1)
def write_for_ever() -> None:
    """Hold a lock while the deadline comes."""
    database = database_of(lh.current_job().client.url)
    now = datetime.now(UTC)
    row = {"app_key": "shop", "resource_type": "customers", "run_id": uuid4()}
    while True:
        with database.write() as connection:
            connection.execute(insert(state), row | {"synced_to": now, "updated_at": now})
            connection.execute(text(SLOW[connection.dialect.name]))
            connection.execute(delete(state))


def test_a_write_that_is_interrupted_leaves_no_lock_behind(
    queue: lh.Client, database: Database
) -> None:
    queue.enqueue_many(write_for_ever.call() for _ in range(TIMES))
    report = lh.Worker(queue, [write_for_ever], slots=1, poll="50ms").run(until_empty=True)
    assert (report.dead, report.abandoned) == (TIMES, 0)
    assert database.engine.pool.checkedout() == 0  # type: ignore[attr-defined] # a QueuePool
    with database.write() as connection:
        connection.execute(delete(state))
