"""The log of a worker: events with fields, no arguments, a summary once a minute and at the end."""

from __future__ import annotations

import logging
from typing import TYPE_CHECKING, Any

import leasehold as lh
from leasehold.cli.logs import JsonFormatter, fields_of
from leasehold.worker import journal
from leasehold.worker.journal import Journal
from leasehold.worker.report import Tally
from tests.worker.kit import drain, new_worker, wait_until

if TYPE_CHECKING:
    import pytest

    from leasehold.client import Client

CANARY = "xyzzy-canary-42"


@lh.task(name="greet")
def greet(name: str) -> str:
    return f"Hello, {name}"


@lh.task(name="refuse", max_attempts=1)
def refuse(name: str) -> None:
    raise ValueError(f"no such user: {name} at https://host/?q=1")


@lh.task(name="ends_twice")
def ends_twice(name: str) -> None:
    with lh.current_job().transaction():
        pass
    raise ValueError(f"too late for {name}")


def bad_policy(failure: lh.Failure) -> float:
    raise ValueError(f"no policy for {CANARY}")


@lh.task(name="policy", retry=bad_policy)
def policy(name: str) -> None:
    raise ValueError("bad")


def events(caplog: pytest.LogCaptureFixture, name: str) -> list[dict[str, Any]]:
    return [fields_of(each) for each in caplog.records if each.getMessage() == name]


def test_each_claim_and_each_job_is_an_event_where_somebody_listens_closely(
    client: Client, caplog: pytest.LogCaptureFixture
) -> None:
    client.enqueue(greet, "Ada")
    client.enqueue(refuse, "Ada")
    with caplog.at_level(logging.DEBUG, "leasehold.worker"):
        drain(client, greet, refuse)
    claims = events(caplog, "batch claimed")
    assert sum(each["batch_claimed_count"] for each in claims) == 2
    (done,) = events(caplog, "job succeeded")
    assert (done["kind"], done["queue"], done["attempt"]) == ("greet", "default", 1)
    assert done["job_duration_ms"] >= 0
    (dead,) = events(caplog, "job dead")
    assert dead["error"] == "ValueError: no such user: Ada at https://host/?***"


def test_by_default_only_what_failed_and_the_summary_are_said(
    client: Client, caplog: pytest.LogCaptureFixture
) -> None:
    client.enqueue(greet, "Ada")
    client.enqueue(refuse, "Ada")
    client.enqueue(refuse, "Bob")
    with caplog.at_level(logging.INFO, "leasehold.worker"):
        drain(client, greet, refuse, name="one")
    assert [each.getMessage() for each in caplog.records] == [
        "job dead",
        "job dead",
        "stopping",
        "worker summary",
    ]
    (said,) = events(caplog, "worker summary")
    assert said["worker"] == "one"
    assert (said["success_count"], said["fail_count"]) == (1, 2)
    assert said["top_failure_kinds"] == {"refuse": 2}


def test_the_summary_comes_again_and_again_and_counts_from_the_last_one(
    client: Client, caplog: pytest.LogCaptureFixture, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("leasehold.worker.caretaker.SUMMARY_SECONDS", 0.05)
    client.enqueue(greet, "Ada")
    with (
        caplog.at_level(logging.INFO, "leasehold.worker"),
        new_worker(client, [greet], poll="20ms"),
    ):
        wait_until(
            lambda: sum(each["success_count"] for each in events(caplog, "worker summary")) == 1,
            "a summary tells of the job",
        )
        client.enqueue(greet, "Bob")
        wait_until(
            lambda: sum(each["success_count"] for each in events(caplog, "worker summary")) == 2,
            "a later one tells of the other",
        )


def test_observers_are_told_that_it_was_summed_up(client: Client) -> None:
    told: list[int] = []

    class Watching(lh.Observer):
        def summarised(self) -> None:
            told.append(1)

    client.enqueue(greet, "Ada")
    drain(client, greet, observers=[Watching()])
    assert told == [1]


def test_no_event_holds_an_argument_or_a_result_unless_it_is_asked_for(
    client: Client, caplog: pytest.LogCaptureFixture
) -> None:
    tasks = (greet, refuse, ends_twice)
    for task in tasks:
        client.enqueue_many([task.call(CANARY)])
    client.enqueue(policy, CANARY)
    with caplog.at_level(logging.DEBUG):
        drain(client, *tasks, policy)
    formatter = JsonFormatter()
    lines = [formatter.format(record) for record in caplog.records]
    assert len(events(caplog, "error after success")) == 1
    assert len(events(caplog, "retry policy failed")) == 1
    assert [line for line in lines if CANARY in line] == []


def test_arguments_are_shown_cut_when_they_are_asked_for(
    client: Client, caplog: pytest.LogCaptureFixture
) -> None:
    client.enqueue(greet, CANARY * 100)
    with caplog.at_level(logging.DEBUG):
        drain(client, greet, log_arguments=True)
    (done,) = events(caplog, "job succeeded")
    assert done["arguments"].startswith(f'{{"name":"{CANARY}')
    assert len(done["arguments"]) < journal.ARGUMENTS_LIMIT + 30


def test_the_kinds_that_failed_most_come_first(caplog: pytest.LogCaptureFixture) -> None:
    tally = Tally()
    said = Journal("one", tally, clock=lambda: 0.0)
    for number in range(9):
        said._failures[f"kind {number}"] = number
    tally.add("failed", 36)
    with caplog.at_level(logging.INFO, "leasehold.worker"):
        said.summarise()
        said.summarise()
    first, second = events(caplog, "worker summary")
    assert list(first["top_failure_kinds"]) == [f"kind {number}" for number in (8, 7, 6, 5, 4)]
    assert (first["fail_count"], second["fail_count"]) == (36, 0)
