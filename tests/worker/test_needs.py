"""Jobs that wait for others, in real workers: let go at once, and by a sweep when nobody did."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pytest

import leasehold as lh
from leasehold.model.needs import Released
from leasehold.model.states import State
from tests.worker.kit import ChangedStore, drain, new_worker, wait_for_state

if TYPE_CHECKING:
    from leasehold.client import Client


@lh.task(name="step")
def step(number: int) -> int:
    return number


@lh.task(name="fail", max_attempts=1)
def fail() -> None:
    raise ValueError("no")


@lh.task(name="async_sum")
async def async_sum() -> int:
    return sum(lh.current_job().results_of(step))


TASKS: list[lh.Task[..., Any]] = [step, fail, async_sum]


def chain(client: Client, length: int) -> list[Any]:
    made = [client.enqueue(step, 0)]
    for number in range(1, length):
        made.append(client.enqueue(step.with_options(after=made[-1]), number))
    return made


def test_a_chain_does_not_wait_for_the_next_poll(client: Client) -> None:
    jobs = chain(client, 10)
    with new_worker(client, TASKS, poll="60s"):
        wait_for_state(client, jobs[-1].id, State.SUCCEEDED)
    ends = [client.get(job.id).finished_at for job in jobs]
    assert ends == sorted(end for end in ends if end is not None)


def test_a_job_that_waits_is_let_go_when_others_end_in_their_own_transactions(
    client: Client,
) -> None:
    @lh.task(name="own")
    def own() -> None:
        with lh.current_job().transaction():
            pass

    first = client.enqueue(own)
    second = client.enqueue(step.with_options(after=first), 1)
    with new_worker(client, [own, step], poll="60s"):
        wait_for_state(client, second.id, State.SUCCEEDED)


def test_a_worker_that_runs_until_empty_runs_those_that_waited(client: Client) -> None:
    jobs = chain(client, 5)
    total = client.enqueue(async_sum.with_options(after=jobs))
    report = drain(client, *TASKS)
    assert report.succeeded == 6
    assert client.get(total.id).result == 10


def test_a_broken_chain_ends_and_what_is_for_any_end_runs(client: Client) -> None:
    first = client.enqueue(fail)
    second = client.enqueue(step.with_options(after=first), 1)
    third = client.enqueue(step.with_options(after=second), 2)
    last = client.enqueue(step.with_options(after=third, even_if_failed=True), 3)
    drain(client, *TASKS)
    states = [client.get(job.id).state for job in (first, second, third, last)]
    assert states == [State.DEAD, State.CANCELLED, State.CANCELLED, State.SUCCEEDED]


def test_what_nobody_followed_up_is_found_by_a_sweep(client: Client) -> None:
    """As after a kill between the commit of an end and the look at those that wait for it."""
    jobs = chain(client, 3)
    blind = ChangedStore(client.store, release_dependents=lambda _store, _ended: Released())
    with new_worker(lh.Client(store=blind), TASKS):
        wait_for_state(client, jobs[-1].id, State.SUCCEEDED)


@pytest.mark.parametrize("throttle", [None, "narrow:a"])
def test_a_workflow_runs_to_its_end(client: Client, throttle: str | None) -> None:
    narrow = lh.Throttle("narrow", running=1)
    flow = lh.Workflow("sums")
    first = flow.add(step.call(1))
    fan = flow.fan_out(
        (step.with_options(throttle=throttle).call(number) for number in range(10)), after=first
    )
    flow.add(async_sum.call(), after=fan)
    started = client.start(flow)
    worker = new_worker(client, TASKS, throttles=[narrow])
    worker.run(until_empty=True)
    assert client.get(started["async_sum"]).result == 45
