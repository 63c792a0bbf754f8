"""A job of a tenant writes as its tenant: `job.transaction()` on a database with roles."""

from __future__ import annotations

import contextlib
from typing import TYPE_CHECKING, Any

import psycopg
import pytest

import leasehold as lh
from leasehold.store import open_store
from tests.safety.scene import ACME, GLOBEX

if TYPE_CHECKING:
    from collections.abc import Iterator

    from leasehold.store.base import Store
    from tests.safety.roles import Access

WHO = "SELECT current_user, leasehold.tenant()"
seen: list[tuple[Any, ...]] = []


@lh.task(name="writing.blocking")
def write_blocking() -> None:
    with lh.current_job().transaction() as connection:
        seen.append(connection.execute(WHO).fetchone())
        connection.execute("INSERT INTO note (tenant) VALUES (%s)", (lh.current_job().tenant,))


@lh.task(name="writing.awaited")
async def write_awaited() -> None:
    async with lh.current_job().transaction() as connection:
        seen.append(await (await connection.execute(WHO)).fetchone())
        await connection.execute("INSERT INTO note VALUES (%s)", (lh.current_job().tenant,))


@lh.task(name="writing.saving")
def write_saving() -> None:
    with lh.current_job().saving() as connection:
        seen.append(connection.execute(WHO).fetchone())
        connection.execute("INSERT INTO note (tenant) VALUES (%s)", (lh.current_job().tenant,))
        lh.current_job().checkpoint(1)


@lh.task(name="writing.foreign", max_attempts=1)
def write_foreign() -> None:
    with lh.current_job().transaction() as connection:
        connection.execute("INSERT INTO note (tenant) VALUES (%s)", (GLOBEX,))


@lh.task(name="writing.peeking")
def peek() -> int:
    with lh.current_job().transaction() as connection:
        (found,) = connection.execute("SELECT count(*) FROM leasehold.job").fetchone()
        lh.current_job().result = found
    return int(found)


TASKS: Any = [write_blocking, write_awaited, write_saving, write_foreign, peek]


@pytest.fixture
def client(access: Access) -> Iterator[lh.Client]:
    """A worker's client, beside a table of the application's with a policy of its own."""
    seen.clear()
    with psycopg.connect(access.admin, autocommit=True) as admin:
        admin.execute(
            f"""
            DROP TABLE IF EXISTS note;
            CREATE TABLE note (tenant text NOT NULL);
            ALTER TABLE note ENABLE ROW LEVEL SECURITY, FORCE ROW LEVEL SECURITY;
            CREATE POLICY mine ON note TO {access.roles.app}
              USING (tenant = leasehold.tenant()) WITH CHECK (tenant = leasehold.tenant());
            CREATE POLICY whole ON note TO {access.roles.worker} USING (true);
            GRANT SELECT, INSERT ON note TO {access.roles.app}, {access.roles.worker};
            """.encode()
        )
    with contextlib.closing(open_store(access.worker)) as store, lh.Client(store=store) as client:
        yield client


def notes(access: Access) -> list[str]:
    with psycopg.connect(access.admin) as admin:
        return [row[0] for row in admin.execute("SELECT tenant FROM note ORDER BY 1")]


def run(client: lh.Client) -> Any:
    return lh.Worker(client, TASKS, slots=2).run(until_empty=True)


@pytest.mark.parametrize("task", [write_blocking, write_awaited, write_saving])
def test_a_tenants_job_writes_as_its_tenant_and_is_settled_by_the_worker(
    client: lh.Client, access: Access, task: Any
) -> None:
    ids = [client.for_tenant(tenant).enqueue(task).id for tenant in (ACME, GLOBEX, ACME)]
    assert run(client).succeeded == 3
    assert sorted(seen) == [(access.roles.app, name) for name in (ACME, ACME, GLOBEX)]
    assert notes(access) == [ACME, ACME, GLOBEX]
    assert {client.get(each).state for each in ids} == {lh.State.SUCCEEDED}


def test_a_job_without_a_tenant_writes_as_the_worker(client: lh.Client, access: Access) -> None:
    job = client.enqueue(write_blocking)
    assert run(client).succeeded == 1
    assert seen == [(access.roles.worker, None)]
    assert client.get(job.id).state is lh.State.SUCCEEDED


def test_a_job_can_not_write_another_tenants_rows(client: lh.Client, access: Access) -> None:
    job = client.for_tenant(ACME).enqueue(write_foreign)
    assert run(client).succeeded == 0
    assert client.get(job.id).state is lh.State.DEAD
    assert "row-level security" in (client.get(job.id).error or "")
    assert notes(access) == []


def test_a_job_sees_its_tenants_rows_only(client: lh.Client) -> None:
    client.for_tenant(GLOBEX).enqueue_many(write_blocking.call() for _ in range(3))
    job = client.for_tenant(ACME).enqueue(peek)
    run(client)
    assert client.get(job.id).result == 1


def test_nothing_of_a_tenant_is_left_on_the_connection(client: lh.Client, access: Access) -> None:
    client.for_tenant(ACME).enqueue(write_blocking)
    run(client)
    assert as_whom(client.store) == {(access.roles.worker, None)}


def as_whom(store: Store) -> set[tuple[Any, ...]]:
    """Ask all idle connections of a store who they are."""
    pool: Any = store._pool  # type: ignore[attr-defined]
    lent = [pool.take() for _ in range(len(pool._idle))]
    try:
        return {each.execute(WHO).fetchone() for each in lent}
    finally:
        for each in lent:
            pool.give_back(each)
