"""Jobs that wait behind another one of their key run when it has ended, in a real worker."""

from __future__ import annotations

import threading
import time
from typing import TYPE_CHECKING

import leasehold as lh
from leasehold.model.states import State
from tests.worker.kit import drain, new_worker, wait_for_state, wait_until

if TYPE_CHECKING:
    from leasehold.client import Client


def test_the_newest_runs_when_the_running_one_has_ended(client: Client) -> None:
    ran: list[int] = []
    may_end = threading.Event()

    @lh.task(name="render", key="page:1", on_duplicate="replace")
    def render(version: int) -> None:
        ran.append(version)
        may_end.wait(20)

    with new_worker(client, [render], slots=4):
        first = client.enqueue(render, 1)
        wait_for_state(client, first.id, State.RUNNING)
        wait_until(lambda: ran == [1], "the first one runs")
        client.enqueue(render, 2)
        newest = client.enqueue(render, 3)
        assert newest.behind == first.id
        may_end.set()
        wait_for_state(client, newest.id, State.SUCCEEDED)
    assert ran == [1, 3]


def test_latest_stops_the_running_one_for_the_newest(client: Client) -> None:
    has_stopped: list[bool] = []

    @lh.task(name="preview", key="preview:7", on_duplicate="latest")
    def preview(version: int) -> None:
        if version == 1:
            job = lh.current_job()
            while not job.is_stopping:
                time.sleep(0.005)
            has_stopped.append(True)

    with new_worker(client, [preview], slots=4):
        first = client.enqueue(preview, 1)
        wait_for_state(client, first.id, State.RUNNING)
        second = client.enqueue(preview, 2)
        wait_for_state(client, second.id, State.SUCCEEDED)
    assert client.get(first.id).state is State.CANCELLED
    assert f"job {second.id}" in (client.get(first.id).error or "")


def test_until_empty_also_runs_what_waits_behind(client: Client) -> None:
    ran: list[int] = []

    @lh.task(name="follow", key="f", on_duplicate="replace")
    def follow(number: int) -> None:
        ran.append(number)
        if number < 3:
            client.enqueue(follow, number + 1)

    client.enqueue(follow, 1)
    drain(client, follow)
    assert ran == [1, 2, 3]


def test_a_failed_one_gives_way_to_who_waits_behind(client: Client) -> None:
    ran: list[int] = []

    @lh.task(name="fragile", key="g", on_duplicate="replace", retry=lh.fixed("1h"))
    def fragile(number: int) -> None:
        ran.append(number)
        if number == 1:
            client.enqueue(fragile, 2)
            raise ValueError("stale")

    first = client.enqueue(fragile, 1)
    drain(client, fragile)
    assert ran == [1, 2]
    assert client.get(first.id).state is State.CANCELLED
