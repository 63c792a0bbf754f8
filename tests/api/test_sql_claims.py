"""A worker that speaks SQL alone claims as ours do: one job for one worker, by every limit."""

from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor
from datetime import timedelta
from typing import TYPE_CHECKING, Any, NamedTuple
from uuid import UUID

import psycopg
import pytest

import leasehold as lh

if TYPE_CHECKING:
    from collections.abc import Iterator

QUEUE = "papers"
CLAIM = "SELECT * FROM leasehold.claim_next(%s, %s, %s, %s)"
HOST = lh.Throttle("host", running=1)


@lh.task(queue=QUEUE)
def plain(number: int = 0) -> None: ...


@lh.task(queue=QUEUE, share=lh.TENANT)
def fair(number: int = 0) -> None: ...


@lh.task(queue=QUEUE, throttle=HOST.by("host"))
def throttled(host: str) -> None: ...


KINDS = [task.name for task in (plain, fair, throttled)]


class Claimed(NamedTuple):
    job_id: UUID
    fence: int
    worker_id: int
    until: Any


@pytest.fixture
def client(migrated_postgres_url: str) -> Iterator[lh.Client]:
    with lh.Client(migrated_postgres_url) as client:
        client.throttles.set("host", running=1)
        yield client


@pytest.fixture
def sql(client: lh.Client) -> Iterator[psycopg.Connection[Any]]:
    with psycopg.connect(client.url, autocommit=True) as connection:
        yield connection


def claim(
    sql: psycopg.Connection[Any], worker: str = "foreign", kinds: list[str] = KINDS
) -> Claimed | None:
    row = sql.execute(CLAIM, [worker, timedelta(minutes=5), [QUEUE, "default"], kinds]).fetchone()
    return None if row is None else Claimed(*row)


def claim_all(sql: psycopg.Connection[Any]) -> list[UUID]:
    found: list[UUID] = []
    while (taken := claim(sql)) is not None:
        found.append(taken.job_id)
    return found


def test_a_claimed_job_runs_and_is_claimed_once(
    client: lh.Client, sql: psycopg.Connection[Any]
) -> None:
    job_id = client.enqueue(plain).id
    taken = claim(sql)
    assert taken is not None
    assert taken.job_id == job_id
    job = client.get(job_id)
    assert (job.state, job.attempt, job.worker_name) == (lh.State.RUNNING, 1, "foreign")
    assert claim(sql) is None


def test_nothing_to_do_is_no_row(sql: psycopg.Connection[Any]) -> None:
    assert claim(sql) is None


def test_who_holds_the_fence_settles(client: lh.Client, sql: psycopg.Connection[Any]) -> None:
    job_id = client.enqueue(fair).id
    taken = claim(sql)
    assert taken is not None
    with pytest.raises(psycopg.Error) as stale:
        sql.execute(
            "SELECT leasehold.settle(%s, %s, %s)", [job_id, taken.fence + 1, taken.worker_id]
        )
    assert stale.value.sqlstate == "LH002"
    sql.execute(
        "SELECT leasehold.settle(%s, %s, %s, %s)",
        [job_id, taken.fence, taken.worker_id, '{"pages": 3}'],
    )
    assert client.get(job_id).result == {"pages": 3}


def test_four_workers_at_once_claim_every_job_and_none_twice(client: lh.Client) -> None:
    ids = [client.enqueue(task).id for task in (plain, fair) for _ in range(20)]

    def work(number: int) -> list[UUID]:
        with psycopg.connect(client.url, autocommit=True) as connection:
            return [taken.job_id for _ in range(20) if (taken := claim(connection, f"w{number}"))]

    with ThreadPoolExecutor(4) as pool:
        found = [each for part in pool.map(work, range(4)) for each in part]
    assert sorted(found) == sorted(ids)


@pytest.mark.parametrize(("task", "table"), [(plain, "ready"), (fair, "waiting")])
def test_a_claim_waits_for_nobody(
    client: lh.Client, sql: psycopg.Connection[Any], task: lh.Task[Any, None], table: str
) -> None:
    first, second = (client.enqueue(task).id for _ in range(2))
    sql.execute("SET lock_timeout = '1s'")
    with psycopg.connect(client.url) as other:
        locked = f"SELECT FROM leasehold.{table} WHERE job_id = %s FOR UPDATE"
        other.execute(locked.encode(), [first])
        assert claim_all(sql) == [second]
    assert claim_all(sql) == [first]


def test_beside_workers_of_ours_each_job_is_run_once(client: lh.Client) -> None:
    ran: list[int] = []

    @lh.task(name="mixed", queue=QUEUE, share=lh.TENANT)
    def mixed(number: int) -> None:
        ran.append(number)

    for tenant in ("a", "b"):
        client.for_tenant(tenant).enqueue_many(mixed.call(number) for number in range(200))

    def work(number: int) -> int:
        with psycopg.connect(client.url, autocommit=True) as connection:
            taken = [
                each for _ in range(50) if (each := claim(connection, f"w{number}", ["mixed"]))
            ]
            for each in taken:
                given = [each.job_id, each.fence, each.worker_id]
                connection.execute("SELECT leasehold.settle(%s, %s, %s)", given)
            return len(taken)

    with ThreadPoolExecutor(3) as pool:
        others = [pool.submit(work, number) for number in range(2)]
        report = lh.Worker(client, [mixed], slots=2, poll="50ms").run(until_empty=True)
        claimed = sum(each.result() for each in others)
    report_again = lh.Worker(client, [mixed], poll="50ms").run(until_empty=True)
    assert report.succeeded + report_again.succeeded + claimed == 400
    assert len(ran) + claimed == 400


def test_the_higher_priority_goes_first(client: lh.Client, sql: psycopg.Connection[Any]) -> None:
    low = client.enqueue(fair).id
    high = client.enqueue(plain.with_options(priority=5)).id
    highest = client.enqueue(fair.with_options(priority=9)).id
    assert claim_all(sql) == [highest, high, low]


def test_tenants_take_turns(client: lh.Client, sql: psycopg.Connection[Any]) -> None:
    many = [client.for_tenant("many").enqueue(fair).id for _ in range(5)]
    few = client.for_tenant("few").enqueue(fair).id
    assert claim_all(sql)[:2] == [many[0], few]


def test_a_delayed_job_comes_when_it_is_due(
    client: lh.Client, sql: psycopg.Connection[Any]
) -> None:
    client.enqueue(plain.with_options(delay="1h"))
    assert claim(sql) is None
    due = client.enqueue(fair.with_options(delay="1h")).id
    sql.execute("UPDATE leasehold.scheduled SET run_at = now() WHERE job_id = %s", [due])
    assert claim_all(sql) == [due]


def test_a_throttle_holds(client: lh.Client, sql: psycopg.Connection[Any]) -> None:
    for host in ("a.com", "a.com", "b.com"):
        client.enqueue(throttled, host)
    assert len(claim_all(sql)) == 2


def test_a_paused_queue_gives_nothing(client: lh.Client, sql: psycopg.Connection[Any]) -> None:
    ids = [client.enqueue(task).id for task in (plain, fair)]
    client.queues.pause(QUEUE)
    assert claim_all(sql) == []
    client.queues.resume(QUEUE)
    assert claim_all(sql) == ids


def test_a_queues_limit_holds(client: lh.Client, sql: psycopg.Connection[Any]) -> None:
    client.queues.limit(QUEUE, running=2)
    for task in (plain, fair, plain, fair):
        client.enqueue(task)
    assert len(claim_all(sql)) == 2


@pytest.mark.parametrize("task", [plain, fair])
def test_a_tenants_quota_holds(
    client: lh.Client, sql: psycopg.Connection[Any], task: lh.Task[Any, None]
) -> None:
    client.quotas.set("acme", running=1)
    mine = [client.for_tenant("acme").enqueue(task).id for _ in range(3)]
    other = client.for_tenant("other").enqueue(task).id
    assert set(claim_all(sql)) == {mine[0], other}


def test_kinds_that_a_worker_does_not_name_stay(
    client: lh.Client, sql: psycopg.Connection[Any]
) -> None:
    ids = {client.enqueue(task).id for task in (plain, fair)}
    assert claim(sql, kinds=["others"]) is None
    assert {job.id for job in client.find(state="queued")} == ids


def test_what_ours_had_parked_is_found(client: lh.Client, sql: psycopg.Connection[Any]) -> None:
    ids = {client.enqueue(task).id for task in (plain, fair)}

    @lh.task(name="other", queue=QUEUE)
    def other() -> None: ...

    lh.Worker(client, [other], poll="50ms").run(until_empty=True)
    assert set(claim_all(sql)) == ids


def test_a_lease_that_nobody_settles_comes_back(
    client: lh.Client, sql: psycopg.Connection[Any]
) -> None:
    job_id = client.enqueue(plain).id
    assert claim(sql) is not None
    sql.execute("UPDATE leasehold.lease SET until = now() - interval '1 hour', lease_seconds = 0.3")
    report = lh.Worker(client, [plain], lease="1s", poll="50ms").run(max_jobs=1)
    assert (report.succeeded, client.get(job_id).state) == (1, lh.State.SUCCEEDED)


def test_a_worker_without_a_name_is_refused(sql: psycopg.Connection[Any]) -> None:
    with pytest.raises(psycopg.Error, match="needs a name"):
        claim(sql, worker="")
