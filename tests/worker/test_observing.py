"""Observers see what a worker does; none of them can harm it."""

from __future__ import annotations

import asyncio
import logging
import threading
from contextlib import contextmanager
from contextvars import ContextVar
from typing import TYPE_CHECKING

import pytest

import leasehold as lh
from leasehold.model.values import Want
from leasehold.worker import Run, Watched
from tests.worker import sample_tasks
from tests.worker.kit import GONE, drain, new_worker, wait_until

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from leasehold.client import Client
    from leasehold.worker import Report

_around: ContextVar[str] = ContextVar("around", default="nothing")
seen_inside: list[str] = []


@lh.task
def fine(n: int) -> int:
    seen_inside.append(_around.get())
    return n


@lh.task
async def fine_async(n: int) -> int:
    await asyncio.sleep(0)
    seen_inside.append(_around.get())
    return n


@lh.task(max_attempts=1)
def bad(n: int) -> None:
    raise ValueError(f"number {n}")


@lh.task(max_attempts=2, retry=lh.fixed("1h"))
async def bad_async(n: int) -> None:
    raise LookupError(f"number {n}")


@lh.task
def later(n: int) -> None:
    raise lh.Snooze("1h")


@lh.task
def inside(n: int) -> None:
    with lh.current_job().transaction():
        pass


class Everything(lh.Observer):
    """Writes down all it is told."""

    def __init__(self) -> None:
        self.claims: list[int] = []
        self.ends: list[tuple[str, str | None]] = []
        self.errors: list[str] = []
        self.seconds: list[float | None] = []
        self.inner: list[tuple[str, str | None]] = []
        self.threads: set[int] = set()
        self.taken_back: list[tuple[int, int]] = []
        self.lost: list[Run] = []
        self.lags: list[float] = []
        self.opens: list[Watched] = []
        self.closes: list[Report] = []

    def opened(self, worker: Watched) -> None:
        self.opens.append(worker)

    def closed(self, worker: Watched, report: Report) -> None:
        assert worker is self.opens[-1]
        self.closes.append(report)

    def claimed(self, count: int, seconds: float) -> None:
        assert seconds >= 0
        self.claims.append(count)

    @contextmanager
    def running(self, run: Run) -> Iterator[None]:
        token = _around.set(f"{run.kind}")
        thread = threading.get_ident()
        assert run.outcome is None
        yield
        assert thread == threading.get_ident()
        _around.reset(token)
        self.inner.append((run.kind.rpartition(".")[2], run.outcome))
        if run.exception is not None:
            self.errors.append(type(run.exception).__name__)

    def ended(self, run: Run) -> None:
        self.ends.append((run.kind.rpartition(".")[2], run.outcome))
        self.seconds.append(run.seconds)
        if run.exception is not None:
            self.errors.append(f"{type(run.exception).__name__} at the end, {run.error}")

    def lease_lost(self, run: Run) -> None:
        self.lost.append(run)

    def reclaimed(self, count: int, dead: int) -> None:
        self.taken_back.append((count, dead))

    def loop_lagged(self, seconds: float) -> None:
        self.lags.append(seconds)


ALL = (fine, fine_async, bad, bad_async, later, inside)


def test_each_attempt_is_seen_where_it_runs_and_when_it_is_settled(client: Client) -> None:
    seen_inside.clear()
    client.enqueue_many(task.call(n=7) for task in ALL)
    watcher = Everything()
    report = drain(client, *ALL, observers=[watcher])
    expected = {
        ("fine", "succeeded"),
        ("fine_async", "succeeded"),
        ("bad", "dead"),
        ("bad_async", "failed"),
        ("later", "snoozed"),
        ("inside", "succeeded"),
    }
    assert set(watcher.ends) == set(watcher.inner) == expected
    assert len(watcher.ends) == len(watcher.inner) == 6
    assert sum(watcher.claims) == 6
    assert sorted(seen_inside) == [fine.name, fine_async.name]
    assert all(seconds is not None and seconds >= 0 for seconds in watcher.seconds)
    assert "ValueError at the end, ValueError: number 7" in watcher.errors
    assert "LookupError" in watcher.errors
    assert watcher.closes == [report]


def test_an_isolated_attempt_is_seen_too_and_its_error_is_text(client: Client) -> None:
    client.enqueue(sample_tasks.add_process, 1, 2)
    client.enqueue(sample_tasks.crash, "exit")
    watcher = Everything()
    drain(client, sample_tasks.add_process, sample_tasks.crash, observers=[watcher])
    assert sorted(outcome or "" for _, outcome in watcher.ends) == ["dead", "succeeded"]
    assert sorted(watcher.ends) == sorted(watcher.inner)


def test_what_surrounds_async_jobs_leaves_their_seats_as_they_were(client: Client) -> None:
    seen_inside.clear()
    client.enqueue_many(fine_async.call(n) for n in range(200))
    watcher = Everything()
    assert drain(client, fine_async, observers=[watcher], slots=2).succeeded == 200
    assert seen_inside == [fine_async.name] * 200
    assert watcher.inner == [("fine_async", "succeeded")] * 200


@pytest.mark.parametrize("hook", ["opened", "claimed", "running", "ended", "ended_together"])
def test_an_observer_that_raises_is_switched_off_and_no_job_is_harmed(
    client: Client, hook: str, caplog: pytest.LogCaptureFixture
) -> None:
    calls: list[str] = []

    def broken(_self: object, *_args: object) -> None:
        calls.append(hook)
        raise RuntimeError("I am broken")

    observer = type("Broken", (lh.Observer,), {hook: broken})()
    for n in range(5):
        client.enqueue(fine, n=n)
        client.enqueue(fine_async, n=n)
    healthy = Everything()
    with caplog.at_level(logging.ERROR, "leasehold.worker"):
        report = drain(client, fine, fine_async, observers=[observer, healthy], slots=1)
    assert (report.succeeded, calls) == (10, [hook])
    assert [record.message for record in caplog.records] == ["observer switched off"]
    assert len(healthy.ends) == 10


def test_a_surrounding_that_breaks_at_its_end_changes_no_outcome(client: Client) -> None:
    class Breaks(lh.Observer):
        @contextmanager
        def running(self, run: Run) -> Iterator[None]:
            yield
            raise RuntimeError(run.kind)

    client.enqueue(fine, n=1)
    client.enqueue(fine, n=2)
    assert drain(client, fine, observers=[Breaks()], slots=1).succeeded == 2


def test_a_lost_lease_is_told_once_and_the_attempt_ends_as_lost(client: Client) -> None:
    @lh.task(name="steal")
    def steal(n: int) -> None:
        store = client.store
        store.skew_seconds = 3600.0
        taken = store.reclaim([(each, 9.0) for each in store.lapsed(limit=9)])
        store.skew_seconds = 0.0
        assert len(taken) == 1

    client.enqueue(steal, n=1)
    watcher = Everything()
    report = new_worker(client, [steal], observers=[watcher]).run(max_jobs=1)
    assert report.lost == 1
    assert watcher.ends == [("steal", "lost")]
    assert len(watcher.lost) == 1


def test_a_loss_that_the_renewal_and_the_end_both_notice_is_told_once(client: Client) -> None:
    @lh.task(name="stolen")
    async def stolen(n: int) -> None:
        store = client.store
        store.skew_seconds = 3600.0
        store.reclaim([(each, 9_000.0) for each in store.lapsed(limit=9)])
        store.skew_seconds = 0.0
        await asyncio.sleep(60)  # until the renewal finds the lease gone

    client.enqueue(stolen, n=1)
    watcher = Everything()
    report = new_worker(client, [stolen], observers=[watcher], lease="1s").run(max_jobs=1)
    assert report.lost == 1
    assert watcher.ends == [("stolen", "lost")]
    assert len(watcher.lost) == 1


def test_leases_that_were_taken_back_are_told(client: Client) -> None:
    client.enqueue(fine, n=1)
    client.store.claim(GONE, [Want("default", 1)], limit=1, leases={fine.name: 1.0})
    watcher = Everything()
    with new_worker(client, [fine], observers=[watcher], lease="1s"):
        wait_until(lambda: bool(watcher.ends), "the lapsed job has run")
    assert watcher.taken_back == [(1, 0)]


def test_the_lag_of_the_loop_is_measured_while_somebody_wants_to_know(client: Client) -> None:
    watcher = Everything()
    with new_worker(client, [fine_async], observers=[watcher]):
        wait_until(lambda: bool(watcher.lags), "a lag was told")
    assert min(watcher.lags) >= 0


def test_what_is_no_observer_is_refused(client: Client) -> None:
    not_one: Sequence[lh.Observer] = [object()]  # type: ignore[list-item]
    with pytest.raises(lh.BadOption, match="is not an Observer"):
        new_worker(client, [fine], observers=not_one)


def test_a_worker_can_be_looked_at_while_it_runs(client: Client) -> None:
    go = threading.Event()

    @lh.task(name="hold")
    def hold() -> None:
        go.wait(20)

    client.enqueue(hold)
    watcher = Everything()
    with new_worker(client, [hold], observers=[watcher], slots=3):
        wait_until(lambda: watcher.opens[0].running() == 1, "it runs")
        assert watcher.opens[0].slots == 3
        assert watcher.opens[0].connections().in_use >= 0
        go.set()
        wait_until(lambda: watcher.opens[0].running() == 0, "it has ended")
