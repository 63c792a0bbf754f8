"""What throttles, shares and keys cost when they are used, and whether shares are fair."""

from __future__ import annotations

import random
import time
from typing import TYPE_CHECKING

import leasehold as lh
from bench.crew import Crew
from bench.draining import LOOK_SECONDS, MOST_SECONDS, costs_of, read_meters
from bench.fleet import BenchFailed, Fleet
from bench.tasks import closed, noop, shared, throttled

if TYPE_CHECKING:
    from collections.abc import Sequence

    from bench.database import Database, Figures, Size
    from leasehold.task import Call

KEYS = 500
SHARES = 10
SMALL_SHARE = 1_000


def drain_throttled(
    database: Database, size: Size, *, processes: int = 1, at_random: bool = False
) -> Figures:
    """Drain jobs of 500 keys, two at a time each, with as many of a closed key before them.

    The keys come one after the other, again and again, or at random: then neighbours in the tables
    are hardly ever claimed together, and the last of one key end long after those of others.
    """
    _put_in_front(database, size.beside)
    dice = random.Random(size.jobs)
    keys = [dice.randrange(KEYS) if at_random else number % KEYS for number in range(size.jobs)]
    calls = [throttled.call(key) for key in keys]
    return _drain(database, calls, keys, (throttled.name, closed.name), processes)


def drain_behind_closed(database: Database, size: Size) -> Figures:
    """Drain jobs without a throttle, with those of a closed key before them in their queue."""
    _put_in_front(database, size.beside)
    calls = [noop.call(number, "user@example.com", "hello") for number in range(size.jobs)]
    return _drain(database, calls, [0] * len(calls), (noop.name, closed.name))


def drain_shares(database: Database, size: Size) -> Figures:
    """Drain jobs of ten shares that take turns."""
    shares = [number % SHARES for number in range(size.jobs)]
    calls = [shared.call(f"share {share}") for share in shares]
    return _drain(database, calls, shares, (shared.name,))


def small_share(database: Database, size: Size) -> Figures:
    """Time a share's jobs alone, and beside the backlog of another one: fair is at most double."""
    jobs = min(SMALL_SHARE, size.jobs)
    with (
        lh.Client(database.url) as client,
        Fleet(database.url, Crew(kinds=(shared.name,))) as fleet,
    ):
        fleet.release()
        _time_share(client, fleet, "warm", jobs)
        alone = _time_share(client, fleet, "alone", jobs)
        client.enqueue_many(shared.call("large") for _ in range(size.beside))
        beside = _time_share(client, fleet, "small", jobs)
    return {"alone_ms": alone * 1000, "beside_ms": beside * 1000, "slower": beside / alone}


def bulk_enqueue_keyed(database: Database, size: Size) -> Figures:
    """`client.enqueue_many` of jobs that each have a key of their own."""
    with lh.Client(database.url) as client:
        client.store.check_schema()
        started = time.perf_counter()
        client.enqueue_many(
            noop.with_options(key=f"key {number}").call(number, "user@example.com", "hello")
            for number in range(size.jobs)
        )
        seconds = time.perf_counter() - started
    if database.count_standing() != size.jobs:
        raise BenchFailed(f"{database.count_standing()} jobs were written, not {size.jobs}")
    return {"jobs_per_second": size.jobs / seconds}


def _put_in_front(database: Database, jobs: int) -> None:
    with lh.Client(database.url) as client:
        client.enqueue_many(closed.call() for _ in range(jobs))


def _drain(
    database: Database,
    calls: Sequence[Call],
    keys: Sequence[int],  # or shares: of each the last job is waited for
    kinds: tuple[str, ...],
    processes: int = 1,
) -> Figures:
    jobs = len(calls)
    with lh.Client(database.url) as client:
        placed = client.enqueue_all(calls)
    lasts = {key: str(each.id) for key, each in zip(keys, placed, strict=True)}
    database.settle_down()
    with Fleet(database.url, Crew(kinds=kinds, processes=processes)) as fleet:
        start = read_meters(database, fleet)
        started = time.perf_counter()
        fleet.release()
        # With each key's last job settled nothing is left but those of the closed key, and leases.
        for is_reached in (
            lambda: not database.is_standing(lasts[keys[-1]]),
            lambda: not (database.is_standing(*lasts.values()) or database.is_any_due()),
        ):
            fleet.wait_until(is_reached, look_seconds=LOOK_SECONDS, most_seconds=MOST_SECONDS)
        seconds = time.perf_counter() - started
        end = read_meters(database, fleet)
    settled = database.count_outcomes().get("succeeded", 0)
    if settled != jobs:
        raise BenchFailed(f"{settled} jobs have succeeded, not {jobs}")
    return {"jobs_per_second": jobs / seconds, **costs_of(start, end, jobs)}


def _time_share(client: lh.Client, fleet: Fleet, name: str, jobs: int) -> float:
    """Enqueue a share's jobs and wait until the last of them has ended."""
    started = time.perf_counter()
    client.enqueue_many(shared.call(name) for _ in range(jobs - 1))
    last = client.enqueue(shared, name)
    fleet.wait_until(
        lambda: client.get(last.id).state is lh.State.SUCCEEDED,
        look_seconds=0.001,
        most_seconds=MOST_SECONDS,
    )
    return time.perf_counter() - started
