"""What began in one database ends in another: batches, workflows, saves, schedules, keys."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

import leasehold as lh
from leasehold.moving import move
from tests.worker.kit import drain

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

    from leasehold.client import Client
    from leasehold.worker import Report

told: list[lh.BatchEnded] = []
begun: list[int] = []
done_once: list[str] = []


@lh.task(name="moved.report")
def report(ended: lh.BatchEnded) -> None:
    told.append(ended)


@lh.task(name="moved.member")
def member(number: int) -> int:
    return number


@lh.task(name="moved.first", queue="first")
def first(number: int) -> int:
    return number


@lh.task(name="moved.total")
def total() -> int:
    return sum(lh.current_job().results_of(first))


@lh.task(name="moved.paged", max_attempts=5, retry=lh.fixed(0))
def paged(pages: int) -> int:
    job = lh.current_job()
    job.step("prepare", lambda: done_once.append("prepare"))
    for page in range(job.cursor or 0, pages):
        begun.append(page)
        job.checkpoint(page + 1, done=page + 1, total=pages)
        if job.attempt == 1:
            raise lh.Snooze("1s")
    return pages


TASKS = (report, member, first, total, paged)


@pytest.fixture
def target(client: Client, postgres_url: str, tmp_path: Path) -> Iterator[Client]:
    """A database of the other kind; the source is opened again for other tests."""
    is_sqlite = client.store.url.startswith("sqlite:")
    url = postgres_url if is_sqlite else f"sqlite:///{tmp_path}/target.db"
    told.clear()
    begun.clear()
    done_once.clear()
    with lh.Client(url) as opened:
        yield opened
    client.store.open_after_move()


def run(client: Client, *, queues: list[str] | None = None) -> Report:
    return drain(client, *TASKS, queues=queues or ["default", "first"])


def test_what_began_in_one_database_ends_in_the_other(client: Client, target: Client) -> None:
    with client.batches.create(on_end=report, name="both", meta={"a": 1}) as batch:
        batch.add(first, 1)
        batch.add(member, 2)
    needed = [client.enqueue(first, number) for number in (3, 4)]
    later = [client.enqueue(first.with_options(queue="later"), 5)]
    sum_up = client.enqueue(total.with_options(after=[*needed, *later]))
    pages = client.enqueue(paged.with_options(queue="first"), 3)
    client.enqueue(member.with_options(key="once", unique_for="ever"), 9)
    client.schedules.set("hourly", "0 * * * *", member.call(1))
    schedule = client.schedules.get("hourly")
    run(client, queues=["first"])
    assert client.get(sum_up.id).state is lh.State.BLOCKED
    assert (batch.info().counts.succeeded, told, begun) == (1, [], [0])

    assert move(client.store.url, target.store.url).is_same

    target.store.skew_seconds = 5.0  # the snooze is over
    run(target, queues=["default", "first", "later"])
    info = target.batches.get(batch.id)
    assert (info.counts.succeeded, info.meta, info.name) == (2, {"a": 1}, "both")
    assert [(each.batch, each.succeeded) for each in told] == [(batch.id, 2)]
    assert target.get(sum_up.id).result == 12
    assert target.get(pages.id).result == 3
    assert (begun, done_once) == ([0, 1, 2], ["prepare"])
    again = target.enqueue(member.with_options(key="once", unique_for="ever"), 9)
    assert not again.is_new
    assert target.schedules.get("hourly").next_at == schedule.next_at
