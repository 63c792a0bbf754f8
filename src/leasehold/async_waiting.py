"""The verbs that wait for jobs to end, on an event loop: no thread for each wait."""

from __future__ import annotations

import asyncio
import math
from functools import partial
from typing import TYPE_CHECKING

from leasehold.waiting import finished, give_up, id_of, late, read_timeout

if TYPE_CHECKING:
    from collections.abc import AsyncIterator, Sequence

    from leasehold.model.durations import Duration
    from leasehold.waiter import End, Waiter
    from leasehold.waiting import Awaited, Finished


async def wait_many_async(
    waiter: Waiter, jobs: Sequence[Awaited], patience: Duration | None
) -> list[Finished]:
    """Wait until all have ended, however; returns them in their order."""
    place = {number: done async for number, done in each_ended_async(waiter, jobs, patience)}
    return [place[number] for number in range(len(jobs))]


async def each_ended_async(
    waiter: Waiter, jobs: Sequence[Awaited], patience: Duration | None
) -> AsyncIterator[tuple[int, Finished]]:
    """Go through the jobs as they end, each with its number in the list."""
    limit = read_timeout(patience)
    loop = asyncio.get_running_loop()
    deadline = loop.time() + limit
    ids = [id_of(job) for job in jobs]
    done: asyncio.Queue[int] = asyncio.Queue()
    ends = [waiter.end_of(job_id) for job_id in ids]

    def tell(number: int, _end: End) -> None:
        if not loop.is_closed():
            loop.call_soon_threadsafe(done.put_nowait, number)

    for number, end in enumerate(ends):
        end.add_done_callback(partial(tell, number))
    try:
        for _ in ends:
            try:
                async with asyncio.timeout_at(None if limit == math.inf else deadline):
                    number = await done.get()
            except TimeoutError:
                raise late(waiter, ids, ends, limit) from waiter.trouble
            yield number, finished(jobs[number], ids[number], ends[number].result())
    finally:
        give_up(ends)
