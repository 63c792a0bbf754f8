"""Workers take away what is past its time, one of them at a time, and nothing that is asked for."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

import leasehold as lh
from leasehold.upkeep.retention import DUTY
from tests.worker.kit import drain, new_worker, wait_until

if TYPE_CHECKING:
    from leasehold.client import Client


@lh.task
def fleeting(number: int) -> int:
    return number


@lh.task(keep="ever")
def kept(number: int) -> int:
    return number


@lh.task(keep="1s", keep_dead="ever")
def short(number: int) -> int:
    if number < 0:
        raise lh.Dead("negative")
    return number


@pytest.fixture(autouse=True)
def _soon(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("leasehold.worker.caretaker.FIRST_KEEP_SECONDS", 0.01)
    monkeypatch.setattr("leasehold.upkeep.retention.ASK_SECONDS", 0.05)
    monkeypatch.setattr("leasehold.upkeep.retention.PAUSE_SECONDS", 0.1)


def test_a_running_worker_takes_away_what_is_past_its_time(client: Client) -> None:
    jobs = [client.enqueue(task, 1).id for task in (fleeting, kept, short)]
    dead = client.enqueue(short, -1).id
    drain(client, fleeting, kept, short)
    client.store.skew_seconds = 5.0

    with new_worker(client, [fleeting, kept, short]):
        wait_until(lambda: client.store.get(jobs[2]) is None, "the short one is gone")
        client.store.skew_seconds = 8 * 86_400.0
    with new_worker(client, [fleeting, kept, short]):
        wait_until(lambda: client.store.get(jobs[0]) is None, "the usual one is gone")

    assert client.get(jobs[1]).state is lh.State.SUCCEEDED
    assert client.get(dead).state is lh.State.DEAD


def test_a_worker_that_ends_leaves_the_duty_to_others_at_once(client: Client) -> None:
    with new_worker(client, [fleeting]):
        pass
    with new_worker(client, [fleeting]) as worker:
        wait_until(
            lambda: client.store.take_duty(DUTY, worker.id, seconds=0.0) is not None,
            "somebody else may take it on",
        )


def test_a_task_may_not_be_kept_for_a_nonsense_time() -> None:
    with pytest.raises(lh.BadOption, match="ever"):
        lh.task(keep="always")(lambda number: number)


def test_client_prune_counts_in_a_dry_run_and_takes_away_otherwise(client: Client) -> None:
    client.enqueue_many(fleeting.call(number) for number in range(25))
    drain(client, fleeting)
    client.store.skew_seconds = 8 * 86_400.0
    told: list[int] = []

    assert client.prune(dry_run=True).jobs == 25
    assert len(client.find(state="succeeded")) == 25
    assert client.prune(progress=lambda report: told.append(report.jobs)).jobs == 25
    assert told[-1] == 25
    assert client.find() == []


def test_what_is_said_about_keeping_jobs_is_in_one_place(client: Client) -> None:
    drain(client, fleeting, kept)  # its task is written down when a worker starts
    client.retention.set(queue="mail", keep="3d", by="ada")
    client.retention.set(keep="2d", dead="9d")

    said = {(each.scope.value, each.name): each.set_by for each in client.retention.list()}
    assert said == {("all", ""): "somebody", ("queue", "mail"): "ada", ("task", kept.name): None}
    day = 86_400.0
    assert client.retention.of(queue="mail") == lh.Keep(
        succeeded=3 * day, dead=9 * day, cancelled=30 * day
    )
    assert client.retention.of(queue="other", task=kept).succeeded == 1e99
    assert client.retention.reset(queue="mail")
    assert client.retention.of(queue="mail").succeeded == 2 * day
    for wrong in ({}, {"queue": "a", "task": "b", "keep": "1d"}):
        with pytest.raises(lh.BadOption):
            client.retention.set(**wrong)
