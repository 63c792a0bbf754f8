"""Jobs that this worker does not know wait for another; jobs that killed a worker run alone."""

from __future__ import annotations

import threading
import time
from typing import TYPE_CHECKING

import pytest

import leasehold as lh
from leasehold.model.states import State
from leasehold.model.values import Want
from tests.worker.kit import (
    GONE,
    drain,
    let_lapse,
    new_worker,
    outcomes,
    wait_for_state,
    wait_until,
)
from tests.worker.sample_tasks import add_async, add_blocking

if TYPE_CHECKING:
    from leasehold.client import Client


def test_an_unknown_kind_is_parked_reported_and_run_by_who_knows_it(client: Client) -> None:
    known = client.enqueue(add_blocking, 1, 1).id
    unknown = client.enqueue(add_async, 1, 1).id

    drain(client, add_blocking)
    assert client.get(known).state is State.SUCCEEDED
    assert (client.get(unknown).state, client.get(unknown).attempt) == (State.QUEUED, 0)
    assert client.store.parked_kinds() == {add_async.name: 1}

    drain(client, add_async)
    assert client.get(unknown).state is State.SUCCEEDED
    assert client.store.parked_kinds() == {}


def test_a_running_worker_finds_what_another_parked_later(client: Client) -> None:
    with new_worker(client, [add_async]):
        unknown = client.enqueue(add_blocking, 1, 1).id
        wait_until(lambda: bool(client.store.parked_kinds()), "it is parked")
        with new_worker(client, [add_blocking]):
            wait_for_state(client, unknown, State.SUCCEEDED)


def test_a_suspect_that_behaves_is_run_to_its_end(client: Client) -> None:
    job_id = client.enqueue(add_blocking, 1, 1).id
    assert let_lapse(client, [add_blocking.name]) == 1

    drain(client, add_blocking)
    assert outcomes(client, job_id) == ["lapsed", "succeeded"]
    assert client.get(job_id).failures == 0


def test_a_suspect_that_has_got_on_comes_back_at_once_as_no_suspect(client: Client) -> None:
    met = []

    @lh.task(name="scan", max_attempts=1)
    def scan() -> None:
        job = lh.current_job()
        met.append(job.lapses)
        if job.lapses:
            raise lh.Snooze(0, reason="a page was read")

    job_id = client.enqueue(scan).id
    let_lapse(client, ["scan"])
    drain(client, scan)
    assert outcomes(client, job_id) == ["lapsed", "snoozed", "succeeded"]
    assert met == [1, 0]


def test_suspects_run_one_at_a_time_and_alone_in_their_claim(client: Client) -> None:
    lock, inside, most = threading.Lock(), list[int](), list[int]()

    @lh.task(name="suspect")
    def suspect(n: int) -> None:
        with lock:
            inside.append(n)
            most.append(len(inside))
        time.sleep(0.02)
        with lock:
            inside.remove(n)

    @lh.task(name="innocent")
    def innocent() -> None:
        return

    suspects = [client.enqueue(suspect, n).id for n in range(5)]
    assert let_lapse(client, ["suspect"]) == 5
    others = [client.enqueue(innocent).id for _ in range(20)]

    drain(client, suspect, innocent, slots=8)
    assert max(most) == 1
    assert len(most) == 5
    fences = [client.history(job_id)[-1].fence for job_id in suspects]
    assert len(set(fences)) == 5
    assert not {client.history(job_id)[-1].fence for job_id in others} & set(fences)


def test_many_suspects_follow_each_other_without_waiting_for_a_poll(client: Client) -> None:
    """A dead worker leaves hundreds behind: one for each poll would take minutes."""
    ids = [client.enqueue(add_blocking, n, n).id for n in range(20)]
    assert let_lapse(client, [add_blocking.name]) == 20
    with new_worker(client, [add_blocking], poll="2s"):
        wait_until(lambda: running_or_waiting(client) == 0, "all of them have run")
    assert {tuple(outcomes(client, job_id)) for job_id in ids} == {("lapsed", "succeeded")}


def running_or_waiting(client: Client) -> int:
    return sum(each.ready + each.scheduled + each.running for each in client.counts())


def test_parked_suspects_run_one_at_a_time_too(client: Client) -> None:
    ids = [client.enqueue(add_blocking, n, n).id for n in range(3)]
    assert let_lapse(client, [add_blocking.name]) == 3
    drain(client, add_async)  # knows nothing of them: parks them
    assert client.store.parked_kinds() == {add_blocking.name: 3}

    drain(client, add_blocking)
    assert len({client.history(job_id)[-1].fence for job_id in ids}) == 3


def test_a_suspect_does_not_hold_up_the_others(client: Client) -> None:
    go_on = threading.Event()

    @lh.task(name="slow suspect")
    def slow() -> None:
        assert go_on.wait(20)

    suspect = client.enqueue(slow).id
    let_lapse(client, ["slow suspect"])
    with new_worker(client, [slow, add_blocking], slots=2):
        wait_for_state(client, suspect, State.RUNNING)
        other = client.enqueue(add_blocking, 1, 1).id
        wait_for_state(client, other, State.SUCCEEDED)
        go_on.set()


@pytest.mark.parametrize("poll", ["100ms", "3s"])
def test_a_dead_workers_job_comes_back_whatever_the_poll(
    client: Client, poll: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Looks as far apart as a long poll would each count as an outage: nothing would be taken."""
    for module in ("upkeep.reclaim", "worker.caretaker"):
        monkeypatch.setattr(f"leasehold.{module}.LONGEST_GAP_SECONDS", 1.0)
    job_id = client.enqueue(add_blocking, 1, 1).id
    (taken,) = client.store.claim(
        GONE, [Want("default", 1)], limit=1, leases={add_blocking.name: 1.0}
    )
    assert taken.job_id == job_id
    with new_worker(client, [add_blocking], poll=poll, lease="60s"):
        wait_until(lambda: bool(outcomes(client, job_id)), "the lease was taken back", 15)
    assert outcomes(client, job_id)[0] == "lapsed"
