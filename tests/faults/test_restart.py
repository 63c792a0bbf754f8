"""Workers outlive their database's restarts and crashes, and the loss of any connection."""

from __future__ import annotations

import random
from concurrent.futures import ThreadPoolExecutor
from typing import TYPE_CHECKING

import pytest

import leasehold as lh
from tests.faults.checker import check
from tests.faults.fleet import Fleet
from tests.faults.history import read_history
from tests.faults.orders import make_orders
from tests.faults.target import Target, postgres_target
from tests.faults.tasks import record, record_async
from tests.faults.waiting import wait_for
from tests.faults.worker_main import WorkerOptions

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator
    from pathlib import Path

    from tests.faults.history import Expected

WORKERS = 2
SLOTS = 8
# For each: claimer, renewer, finisher; one for each slot that waits in a transaction, blocking and
# async ones pooled apart; one to register with and to send wake-ups.
MOST_CONNECTIONS = WORKERS * (3 + 2 * SLOTS + 1)
FIRST_CLAIM_SECONDS = 10.0  # the promise is 3; this machine may be busy with other tests

_CONNECTIONS = (
    "SELECT pid FROM pg_stat_activity"
    " WHERE application_name = 'leasehold' AND datname = current_database()"
)


@pytest.fixture
def target() -> Iterator[Target]:
    """A server of the test's own: it will be stopped and crashed."""
    with postgres_target() as opened:
        yield opened


@pytest.fixture
def fleet(target: Target, tmp_path: Path) -> Iterator[Fleet]:
    with Fleet(WorkerOptions(url=target.url, slots=SLOTS, lease=5.0), tmp_path, WORKERS) as started:
        yield started


def start_load(target: Target, jobs: int) -> dict[str, Expected]:
    """Enqueue jobs and wait until all workers are there and amid them."""
    orders = make_orders(jobs, random.Random(7), most_inside_ms=10, most_delay_seconds=2)
    with lh.Client(target.url) as client:
        client.enqueue_many(order.call for order in orders)
        # One that is only just starting when the database falls ends with an error.
        wait_for("workers", lambda: len(client.workers()) == WORKERS, 30)
    wait_for("work done", lambda: target.count_ended() > 30, 30)
    return {str(order.id): order.expected for order in orders}


def read_clock(target: Target) -> str:
    return str(target.query("SELECT now()::text AS now")[0]["now"])


def seconds_to_first_claim(target: Target, since: str) -> float:
    """How long after `since` the first lease was given; under load there always is one to see."""
    sql = (
        f"SELECT extract(epoch FROM claimed_at - '{since}')::float AS seconds"  # noqa: S608 - a time
        f" FROM leasehold.lease WHERE claimed_at > '{since}' ORDER BY claimed_at LIMIT 1"
    )
    found = wait_for("claim after recovery", lambda: target.query(sql), 2 * FIRST_CLAIM_SECONDS)
    return float(found[0]["seconds"])


def restart(target: Target) -> None:
    assert target.server is not None
    target.server.restart("fast")


def stop_at_once(target: Target) -> None:
    assert target.server is not None
    target.server.restart("immediate")


@pytest.mark.parametrize("fall", [restart, stop_at_once, Target.crash], ids=lambda f: f.__name__)
def test_workers_go_on_by_themselves_after_the_database_fell(
    target: Target, fleet: Fleet, fall: Callable[[Target], None]
) -> None:
    expected = start_load(target, 400)
    fall(target)
    seconds = seconds_to_first_claim(target, read_clock(target))
    print(f"first claim {seconds:.2f} s after recovery")
    assert seconds < FIRST_CLAIM_SECONDS
    wait_for("end of all jobs", lambda: target.count_live() == 0, 60)
    assert fleet.tend() == [], "no worker died of it"
    assert len(target.query(_CONNECTIONS)) <= MOST_CONNECTIONS
    assert fleet.stop() == [0] * WORKERS
    assert check(read_history(target.url, expected)) == []


@pytest.mark.parametrize("fall", [restart, Target.crash], ids=lambda f: f.__name__)
def test_those_who_wait_for_results_outlive_a_fall(
    target: Target, fall: Callable[[Target], None]
) -> None:
    @lh.task(name="add_up")
    def add_up(number: int) -> int:
        return number + 1

    with lh.Client(target.url) as client, lh.Client(target.url) as elsewhere:
        jobs = client.enqueue_all(add_up.call(number) for number in range(20))
        waiting = ThreadPoolExecutor(1).submit(client.wait_all, jobs, 60)
        wait_for("somebody waits", lambda: client.waiter.is_waiting, 10)
        fall(target)
        with lh.Worker(elsewhere, [add_up]):
            assert waiting.result(60) == [number + 1 for number in range(20)]


def test_connections_that_are_cut_at_random_are_replaced_and_none_leaks(
    target: Target, fleet: Fleet
) -> None:
    expected = start_load(target, 500)
    chance = random.Random(11)
    cut = 0
    while cut < 60 and target.count_live() > 0:
        backends = target.query(_CONNECTIONS)
        assert len(backends) <= MOST_CONNECTIONS
        if backends:
            pid = chance.choice(backends)["pid"]
            target.query(f"SELECT pg_terminate_backend({pid})")
            cut += 1
    assert cut > 10
    wait_for("end of all jobs", lambda: target.count_live() == 0, 60)
    assert fleet.tend() == []
    assert len(target.query(_CONNECTIONS)) <= MOST_CONNECTIONS
    assert fleet.stop() == [0] * WORKERS
    # A backend ends a moment after its client.
    wait_for("end of all connections", lambda: target.query(_CONNECTIONS) == [], 20)
    assert check(read_history(target.url, expected)) == []


def test_connections_that_went_stale_in_a_restart_cost_no_attempt_and_no_call(
    target: Target,
) -> None:
    """The pools are full of connections to a server that is gone; nobody must meet one."""

    @lh.task(name="pay_once", max_attempts=1)
    def pay_once() -> None:
        with lh.current_job().transaction() as connection:
            record(connection, lh.current_job())

    @lh.task(name="pay_once_async", max_attempts=1)
    async def pay_once_async() -> None:
        async with lh.current_job().transaction() as connection:
            await record_async(connection, lh.current_job())

    def run_many() -> None:
        ended = target.count_ended()
        client.enqueue_many([pay_once.call(), pay_once_async.call()] * 20)
        wait_for("end of all jobs", lambda: target.count_ended() == ended + 40, 20)

    with lh.Client(target.url) as client:
        with lh.Worker(client, tasks=[pay_once, pay_once_async], poll="0.2s"):
            run_many()
            restart(target)
            run_many()
        states = {each.state for each in read_history(target.url, {}).outcomes}
    assert states == {"succeeded"}
