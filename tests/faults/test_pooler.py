"""Behind PgBouncer in transaction mode all works; wake-ups are by polling, and it says so."""

from __future__ import annotations

from typing import TYPE_CHECKING

import psycopg
import pytest

import leasehold as lh
from leasehold.store import open_store
from tests.faults.waiting import wait_for
from tests.pooler import needs_pooler, pooler_before

if TYPE_CHECKING:
    from collections.abc import Iterator

pytestmark = needs_pooler


@lh.task(name="pooled.double")
async def double(number: int) -> int:
    return 2 * number


@lh.task(name="pooled.note")
def note(number: int) -> None:
    with lh.current_job().transaction() as connection:
        connection.execute("INSERT INTO noted VALUES (%s)", (number,))


@pytest.fixture
def pooler_url(postgres_url: str) -> Iterator[str]:
    """The address of a pooler in front of an empty database."""
    with pooler_before(postgres_url) as url:
        yield url


def test_jobs_run_and_transactions_settle_through_a_pooler(pooler_url: str) -> None:
    store = open_store(pooler_url)
    store.migrate()
    with psycopg.connect(pooler_url, autocommit=True) as connection:
        connection.execute("CREATE TABLE noted (number integer)", prepare=False)
    client = lh.Client(store=store)
    client.enqueue_many(double.call(number) for number in range(500))
    client.enqueue_many(note.call(number) for number in range(50))

    report = lh.Worker(client, [double, note], lease="5s").run(until_empty=True)

    assert (report.succeeded, report.failed, report.lost) == (550, 0, 0)
    with psycopg.connect(pooler_url, autocommit=True) as connection:
        counted = connection.execute("SELECT count(*) FROM noted", prepare=False).fetchone()
    assert counted == (50,)
    store.close()


def test_an_idle_worker_behind_a_pooler_polls_and_says_so(
    pooler_url: str, caplog: pytest.LogCaptureFixture
) -> None:
    store = open_store(pooler_url)
    store.migrate()
    client = lh.Client(store=store)
    with lh.Worker(client, [double], poll="200ms"):
        wait_for("the worker says that it polls", lambda: "polling only" in caplog.text or None, 15)
        job = client.enqueue(double, 21)
        wait_for(
            "the job is found", lambda: client.get(job.id).state is lh.State.SUCCEEDED or None, 15
        )
    assert client.get(job.id).result == 42
    assert any(each.topic == "wake-up" and each.level == "warning" for each in store.examine())
    store.close()
