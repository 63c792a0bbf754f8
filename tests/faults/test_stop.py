"""A worker that is told to stop ends in its grace time, charges nobody and loses nothing."""

from __future__ import annotations

import signal
import time
from contextlib import contextmanager
from typing import TYPE_CHECKING

import pytest

from tests.faults import odd_tasks
from tests.faults.checker import check
from tests.faults.fleet import Fleet, Member
from tests.faults.history import Expected, History, read_history
from tests.faults.waiting import wait_for
from tests.faults.worker_main import WorkerOptions

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

    import leasehold as lh
    from leasehold.task import Call
    from tests.faults.target import Target

GRACE_SECONDS = 2.0
EXIT_SECONDS = 2.0  # what a process may take to end besides, on a busy machine


@contextmanager
def running(
    target: Target, client: lh.Client, folder: Path, calls: list[Call], grace: float
) -> Iterator[Member]:
    """A worker amid these jobs."""
    client.enqueue_many(calls)
    options = WorkerOptions(url=target.url, tasks="tests.faults.odd_tasks", grace=grace, lease=10)
    with Fleet(options, folder, 1) as fleet:
        wait_for("busy worker", lambda: len(read(target).live_in("lease")) >= 4, 20)
        yield fleet.living[0]


@contextmanager
def running_long(
    target: Target, client: lh.Client, folder: Path, calls: list[Call], grace: float
) -> Iterator[Member]:
    """A worker whose jobs have all begun: what has a lease only is handed back without a wait."""
    with running(target, client, folder, calls, grace) as member:
        wait_for(
            "jobs under way", lambda: count_events(member, odd_tasks.UNDER_WAY) == len(calls), 20
        )
        yield member


def count_events(member: Member, name: str) -> int:
    return sum(each["event"] == name for each in member.events())


class Seen:
    """The history, and which jobs stand where."""

    def __init__(self, history: History) -> None:
        self.history = history
        self.states = {each.state for each in history.outcomes}
        self.failures = {each.failures for each in history.outcomes}

    def live_in(self, table: str) -> list[str]:
        return [job_id for name, job_id in self.history.live if name == table]


def read(target: Target) -> Seen:
    return Seen(read_history(target.url, {}))


def end(member: Member, number: signal.Signals) -> float:
    """Send the signal; returns how long it then took to end."""
    started = time.monotonic()
    member.send(number)
    member.wait()
    return time.monotonic() - started


def end_at_once(member: Member, number: signal.Signals) -> float:
    """Send the signal and, when it was heard, again; the same answer."""
    member.send(number)
    wait_for("first signal heard", lambda: "stopping" in {e["event"] for e in member.events()}, 10)
    return end(member, number)


@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGINT])
def test_a_stop_under_load_charges_nobody_and_loses_nothing(
    target: Target, client: lh.Client, tmp_path: Path, number: signal.Signals
) -> None:
    calls = [odd_tasks.short.call(), odd_tasks.short_async.call()] * 150
    with running(target, client, tmp_path, calls, GRACE_SECONDS) as member:
        wait_for("some work done", lambda: target.count_ended() > 10, 20)
        seconds = end(member, number)
    seen = read(target)
    assert member.exit_code == 0
    assert seconds < GRACE_SECONDS + EXIT_SECONDS
    assert seen.live_in("lease") == []
    assert len(seen.live_in("ready")) > 0, "it was stopped amid its work"
    assert seen.failures == {0}
    assert seen.states <= {"succeeded", "released"}

    with Fleet(WorkerOptions(url=target.url, tasks="tests.faults.odd_tasks"), tmp_path, 1) as fleet:
        wait_for("end of the rest", lambda: target.count_live() == 0, 30)
        assert fleet.stop() == [0]
    expected = {
        job.id: Expected(kind=job.kind, has_effect=False) for job in read(target).history.jobs
    }
    assert len(expected) == len(calls)
    assert check(read_history(target.url, expected)) == []


@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGINT])
def test_what_does_not_end_within_the_grace_is_handed_back_uncharged(
    target: Target, client: lh.Client, tmp_path: Path, number: signal.Signals
) -> None:
    calls = [odd_tasks.long.call(), odd_tasks.long_async.call()] * 2
    with running_long(target, client, tmp_path, calls, GRACE_SECONDS) as member:
        seconds = end(member, number)
    assert GRACE_SECONDS / 2 < seconds < GRACE_SECONDS + EXIT_SECONDS
    assert_handed_back(target, member, len(calls))


def test_a_second_signal_ends_the_grace(target: Target, client: lh.Client, tmp_path: Path) -> None:
    calls = [odd_tasks.long.call(), odd_tasks.long_async.call()] * 2
    with running_long(target, client, tmp_path, calls, grace=60.0) as member:
        seconds = end_at_once(member, signal.SIGTERM)
    assert seconds < EXIT_SECONDS
    assert_handed_back(target, member, len(calls))


def test_a_handler_that_hears_no_interruption_is_handed_back_too(
    target: Target, client: lh.Client, tmp_path: Path
) -> None:
    calls = [odd_tasks.deaf.call(), odd_tasks.long_async.call()] * 2
    with running_long(target, client, tmp_path, calls, GRACE_SECONDS) as member:
        seconds = end(member, signal.SIGTERM)
    assert seconds < GRACE_SECONDS + EXIT_SECONDS
    assert_handed_back(target, member, len(calls))


def test_a_signal_that_does_not_wake_the_main_thread_is_heard_all_the_same(
    target: Target, client: lh.Client, tmp_path: Path
) -> None:
    options = WorkerOptions(url=target.url, tasks="tests.faults.odd_tasks", grace=GRACE_SECONDS)
    with Fleet(options, tmp_path, 1) as fleet:
        client.enqueue(odd_tasks.stop_worker)
        assert fleet.living[0].wait() == 0
    assert target.count_ended() == 1


def assert_handed_back(target: Target, member: Member, count: int) -> None:
    seen = read(target)
    assert member.exit_code == 0
    assert len(seen.live_in("ready")) == count
    assert seen.states == {"released"}
    assert seen.failures == {0}
