"""Quotas as programs set and meet them: verbs, callers' connections, SQL, workers."""

from __future__ import annotations

import asyncio
import contextlib
import sqlite3
from typing import TYPE_CHECKING, Any

import psycopg
import pytest

import leasehold as lh

if TYPE_CHECKING:
    from leasehold.model.quotas import QuotaInfo

ACME = "acme"


@lh.task(name="quota.greet")
def greet(name: str = "Ada") -> None: ...


hers = greet.with_options(tenant=ACME)


def shown(client: lh.Client) -> QuotaInfo:
    (found,) = client.quotas.list()
    return found


def test_quotas_are_set_changed_and_removed(client: lh.Client) -> None:
    client.quotas.set(ACME, waiting=10_000, running=20, rate="100/minute", by="ops")
    quota = shown(client)
    assert (quota.tenant, quota.waiting_limit, quota.running_limit) == (ACME, 10_000, 20)
    assert quota.rate == pytest.approx(100 / 60)
    assert (quota.burst, quota.set_by) == (100.0, "ops")
    client.quotas.set(ACME, waiting=None, rate=5)
    quota = shown(client)
    assert (quota.waiting_limit, quota.running_limit) == (None, 20)
    assert (quota.rate, quota.burst) == (5.0, 5.0)
    assert client.quotas.remove(ACME)
    assert not client.quotas.remove(ACME)


@pytest.mark.parametrize(
    ("rate", "per_second", "burst"),
    [("60/minute", 1, 60), ("30/minutes", 0.5, 30), ("2/1h", 2 / 3600, 2), ("0.5/second", 0.5, 1)],
)
def test_a_rate_is_so_many_in_a_time(
    client: lh.Client, rate: str, per_second: float, burst: float
) -> None:
    client.quotas.set(ACME, rate=rate)
    assert shown(client).rate == pytest.approx(per_second)
    assert shown(client).burst == burst


@pytest.mark.parametrize(
    "wrong",
    [
        {"waiting": -1},
        {"waiting": 1.5},
        {"waiting": True},
        {"running": "3"},
        {"rate": "fast"},
        {"rate": "5"},
        {"rate": "0/minute"},
        {"rate": -1.0},
        {"rate": "5/0s"},
        {"rate": float("nan")},
        {},
    ],
)
def test_nonsense_is_refused(client: lh.Client, wrong: dict[str, Any]) -> None:
    with pytest.raises(lh.BadOption):
        client.quotas.set(ACME, **wrong)
    with pytest.raises(lh.BadOption):
        client.quotas.set("", waiting=1)


def test_an_enqueue_that_is_refused_says_of_whom_and_why(client: lh.Client) -> None:
    client.quotas.set(ACME, waiting=1)
    client.enqueue(hers)
    with pytest.raises(lh.QuotaExceeded, match=r"tenant 'acme' may have 1 jobs waiting") as told:
        client.enqueue_many(hers.call(str(number)) for number in range(3))
    assert (told.value.quota, told.value.limit, told.value.retry_after) == ("waiting", 1, None)
    client.quotas.set(ACME, waiting=None, rate="1/hour")
    client.enqueue(hers)
    with pytest.raises(lh.QuotaExceeded, match="try again in") as told:
        client.enqueue(hers)
    assert told.value.retry_after == pytest.approx(3600, abs=60)


def test_a_refused_enqueue_on_a_callers_connection_writes_nothing(client: lh.Client) -> None:
    client.quotas.set(ACME, waiting=1)
    with contextlib.closing(connect(client)) as connection:
        client.on(connection).enqueue(hers)
        connection.commit()
        with pytest.raises(lh.QuotaExceeded) as told:
            client.on(connection).enqueue(hers)
        connection.rollback()
        assert (told.value.tenant, told.value.limit) == (ACME, 1)
        client.on(connection).enqueue(greet)
        connection.commit()
    assert [each.ready for each in client.counts()] == [2]


def connect(client: lh.Client) -> Any:
    url = client.store.url
    if url.startswith("sqlite:"):
        return sqlite3.connect(url.removeprefix("sqlite:///"))
    return psycopg.connect(url)


def test_the_sql_function_keeps_to_quotas(client: lh.Client) -> None:
    if client.store.url.startswith("sqlite:"):
        return  # there is no such function
    client.quotas.set(ACME, waiting=1)
    enqueue = "SELECT leasehold.enqueue('quota.greet', tenant => 'acme')"
    with psycopg.connect(client.store.url, autocommit=True) as connection:
        connection.execute(enqueue)
        with pytest.raises(psycopg.Error) as told:
            connection.execute(enqueue)
        assert told.value.sqlstate == "LH007"


def test_all_of_it_awaited(store_url: str) -> None:
    async def go() -> None:
        async with lh.AsyncClient(store_url) as client:
            await client.quotas.set(ACME, waiting=1)
            await client.enqueue(hers)
            with pytest.raises(lh.QuotaExceeded):
                await client.enqueue(hers)
            assert [each.waiting for each in await client.quotas.list()] == [1]
            assert await client.quotas.remove(ACME)

    asyncio.run(go())
