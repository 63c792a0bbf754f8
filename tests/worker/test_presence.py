"""A worker shows itself, and hears of new jobs long before it would poll."""

from __future__ import annotations

import subprocess
import sys
import threading
from statistics import median
from typing import TYPE_CHECKING, Any
from uuid import UUID

import leasehold as lh
from leasehold.model.states import State
from leasehold.model.values import Fleet
from leasehold.worker.taker import Taker
from tests.worker.kit import ChangedStore, new_worker, wait_for_state, wait_until
from tests.worker.sample_tasks import add_async, add_blocking

if TYPE_CHECKING:
    import pytest

    from leasehold.client import Client
    from leasehold.model.ids import WorkerId
    from leasehold.model.values import Lapsed, Survey
    from leasehold.store.base import Store

PROMPT_SECONDS = 2.0  # on a busy machine; a poll would find it after a quarter of a minute
LONG_POLL = "30s"


def test_a_worker_is_listed_while_it_works_and_struck_off_after(client: Client) -> None:
    worker = new_worker(client, [add_async, add_blocking], queues=["b", "a"], slots=3, name="Ada")
    assert client.workers() == []
    with worker:
        (info,) = client.workers()
        assert (info.id, info.name, info.slots) == (worker.id, "Ada", 3)
        assert info.queues == ("b", "a")
        assert info.kinds == (add_async.name, add_blocking.name)
        assert info.version == lh.__version__
    assert client.workers() == []


def test_a_heartbeat_says_how_many_jobs_run(
    client: Client, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("leasehold.worker.caretaker.BEAT_SECONDS", 0.05)
    go_on = threading.Event()

    @lh.task(name="hold")
    def hold() -> None:
        assert go_on.wait(20)

    with new_worker(client, [hold]):
        (first,) = client.workers()
        assert first.seen_at is not None
        wait_until(lambda: client.workers()[0].seen_at != first.seen_at, "an idle one beats too")
        client.enqueue_many(hold.call() for _ in range(2))
        wait_until(lambda: client.workers()[0].running == 2, "two are reported")
        go_on.set()
        wait_until(lambda: client.workers()[0].running == 0, "none is reported")


def test_one_of_many_idle_workers_seldom_surveys(
    client: Client, monkeypatch: pytest.MonkeyPatch
) -> None:
    """What no wake-up told of is found by any of them, so each looks the less the more they are."""
    surveys, rounds = [0], [0]
    beaten = threading.Event()

    def beat(store: Store, worker: WorkerId, *, running: int) -> Fleet:
        store.beat(worker, running=running)
        beaten.set()
        return Fleet(500, {"default": [worker] * 500})

    def survey(store: Store, *args: Any) -> Survey:
        surveys[0] += 1
        return store.survey(*args)

    def go_round(_taker: Taker) -> None:
        rounds[0] += 1

    monkeypatch.setattr(Taker, "hand_back_stale", go_round)
    one_of_many = lh.Client(store=ChangedStore(client.store, beat=beat, survey=survey))
    with new_worker(one_of_many, [add_blocking]):
        wait_until(beaten.is_set, "it knows of the others")
        surveyed, gone_round = surveys[0], rounds[0]
        wait_until(lambda: rounds[0] >= gone_round + 20, "it does what is due")
        assert surveys[0] <= surveyed + 1  # which was due before


def test_one_of_a_large_fleet_looks_for_lapsed_leases_when_the_others_are_gone(
    client: Client, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("leasehold.worker.caretaker.BEAT_SECONDS", 0.05)
    looks, beats = [0], [0]
    others = [10**12]

    def beat(store: Store, worker: WorkerId, *, running: int) -> Fleet:
        store.beat(worker, running=running)
        beats[0] += 1
        return Fleet(1 + others[0])

    def lapsed(store: Store, *, limit: int) -> list[Lapsed]:
        looks[0] += 1
        return store.lapsed(limit=limit)

    one_of_many = lh.Client(store=ChangedStore(client.store, beat=beat, lapsed=lapsed))
    with new_worker(one_of_many, [add_blocking], poll="20ms", lease="1s"):
        wait_until(lambda: beats[0] >= 1, "it knows of the others")
        looked = looks[0]
        wait_until(lambda: beats[0] >= 20, "as long as they are there")
        assert looks[0] <= looked + 1  # which was under way
        others[0] = 0
        wait_until(lambda: looks[0] >= looked + 3, "it looks again and again")


def test_history_names_the_worker_after_it_has_left(client: Client) -> None:
    job_id = client.enqueue(add_blocking, 1, 1).id
    with new_worker(client, [add_blocking], name="Grace"):
        wait_for_state(client, job_id, State.SUCCEEDED)
    assert client.history(job_id)[0].worker_name == "Grace"


def seconds_to_start(client: Client, job_id: UUID) -> float:
    wait_for_state(client, job_id, State.SUCCEEDED)
    job = client.get(job_id)
    assert job.started_at is not None
    return (job.started_at - job.created_at).total_seconds()


def test_an_idle_worker_starts_a_new_job_promptly(client: Client) -> None:
    with new_worker(client, [add_blocking], poll=LONG_POLL):
        waits = [seconds_to_start(client, client.enqueue(add_blocking, 1, 1).id) for _ in range(5)]
    assert median(waits) < PROMPT_SECONDS


ENQUEUE = """
import sys
import leasehold as lh
from tests.worker.sample_tasks import add_blocking

with lh.Client(sys.argv[1]) as client:
    print(client.enqueue(add_blocking, 1, 1).id)
"""


def test_a_job_from_another_process_is_started_promptly_too(client: Client, store_url: str) -> None:
    with new_worker(client, [add_blocking], poll=LONG_POLL):
        waits = []
        for _ in range(3):
            asked = subprocess.run(
                [sys.executable, "-c", ENQUEUE, store_url],
                check=True,
                capture_output=True,
                text=True,
                timeout=60,
            )
            waits.append(seconds_to_start(client, UUID(asked.stdout.strip())))
    assert median(waits) < PROMPT_SECONDS


def test_a_retry_of_its_own_is_run_when_it_is_due(client: Client) -> None:
    @lh.task(name="again", retry=lh.fixed("100ms"))
    def again() -> None:
        if lh.current_job().attempt == 1:
            raise ValueError

    job_id = client.enqueue(again).id
    with new_worker(client, [again], poll=LONG_POLL):
        wait_for_state(client, job_id, State.SUCCEEDED)
    first, second = client.history(job_id)
    assert second.started_at is not None
    assert 0.09 < (second.started_at - first.finished_at).total_seconds() < 0.1 + PROMPT_SECONDS


def test_a_scheduled_job_is_run_when_it_is_due(client: Client) -> None:
    with new_worker(client, [add_blocking], poll="500ms"):
        job_id = client.enqueue(add_blocking.with_options(delay="300ms"), 1, 1).id
        waited = seconds_to_start(client, job_id)
    assert 0.3 <= waited < 0.3 + 0.5 + PROMPT_SECONDS
