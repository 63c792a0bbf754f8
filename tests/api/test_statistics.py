"""`client.stats` and `client.page`, and the same awaited."""

from __future__ import annotations

import asyncio
from typing import TYPE_CHECKING

import leasehold as lh

if TYPE_CHECKING:
    from leasehold.client import Client


@lh.task(queue="mail")
def fine() -> None: ...


@lh.task(queue="mail", max_attempts=1)
def broken(number: int) -> None:
    raise ValueError(f"no order {number}")


def run_some(client: Client) -> None:
    client.enqueue_many([fine.call(), fine.call(), broken.call(1), broken.call(2)])
    lh.Worker(client, [fine, broken]).run(until_empty=True)


def test_the_same_can_be_awaited(client: Client) -> None:
    run_some(client)

    async def ask() -> None:
        async with lh.AsyncClient(client.store.url) as awaited:
            overview = await awaited.stats.overview("10m")
            assert overview.activity.counts["succeeded"] == overview.failed_24h == 2
            points = await awaited.stats.series("10m", queue="mail", kind=fine.name)
            assert sum(point.counts["succeeded"] for point in points) == 2
            assert await awaited.stats.failures() == client.stats.failures()
            assert await awaited.stats.totals() == client.stats.totals()
            assert await awaited.page(kind=broken, limit=1) == client.page(kind=broken, limit=1)

    asyncio.run(ask())


def test_pages_lead_through_all_jobs(client: Client) -> None:
    run_some(client)
    first = client.page(state="dead", limit=1)
    assert [job.kind for job in first.jobs] == [broken.name]
    second = client.page(state="dead", limit=1, before=first.before)
    assert second.before is None
    assert [*first.jobs, *second.jobs] == client.find(state="dead")
    assert client.page(queue="nowhere") == lh.Page(jobs=[])


def test_what_was_counted_is_kept_when_the_jobs_are_gone(client: Client) -> None:
    run_some(client)
    client.delete_many(queue="mail")
    assert client.find() == []
    assert client.stats.overview().activity.counts["succeeded"] == 2
    assert client.stats.failures() == []
