"""What every adapter shares: the job, and how its enqueuing is timed.

Imported in every peer's environment: the standard library only.
"""

from __future__ import annotations

import asyncio
import os
import time
from collections.abc import Awaitable, Callable, Iterator
from types import TracebackType
from typing import Any, Self

URL = os.environ.get("BENCH_URL", "")
WORKER = os.environ.get("BENCH_WORKER", "0")
PICK_UP_PAUSE_SECONDS = 0.05


def payload(number: int) -> dict[str, Any]:
    """About 60 bytes as JSON."""
    return {"n": number, "to": f"user{number % 1_000_000:06}@example.com", "subject": "hello"}


def chunks(jobs: int, size: int) -> Iterator[range]:
    for start in range(0, jobs, size):
        yield range(start, min(jobs, start + size))


class Stopwatch:
    """`with Stopwatch() as watch: …`, then `watch.seconds`."""

    seconds = 0.0

    def __enter__(self) -> Self:
        self._started = time.perf_counter()
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self.seconds = time.perf_counter() - self._started


def pace(jobs: int, send: Callable[[int], object]) -> list[float]:
    """Send the jobs 50 ms apart; returns when each call returned."""
    sent = []
    for number in range(jobs):
        due = time.monotonic() + PICK_UP_PAUSE_SECONDS
        send(number)
        sent.append(time.time())
        time.sleep(max(0.0, due - time.monotonic()))
    return sent


async def pace_async(jobs: int, send: Callable[[int], Awaitable[object]]) -> list[float]:
    """`pace` for asyncio."""
    sent = []
    for number in range(jobs):
        due = time.monotonic() + PICK_UP_PAUSE_SECONDS
        await send(number)
        sent.append(time.time())
        await asyncio.sleep(max(0.0, due - time.monotonic()))
    return sent
