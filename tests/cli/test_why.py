"""`leasehold why` says why a job does not run, and the command that it advises helps."""

from __future__ import annotations

import re
import shlex
from typing import Any

import pytest

import leasehold as lh
from leasehold import testing
from leasehold.client import Client
from leasehold.model.ids import WorkerId
from leasehold.model.lanes import Ask
from leasehold.model.values import WorkerInfo
from tests.cli.kit import Cli

NOBODY = "0192f0c1-2a3b-7c4d-8e5f-60718293a4b5"
COMMAND = re.compile(r"`leasehold ([^`]*)`")


@lh.task(name="greet", max_attempts=2, retry=lh.fixed("1h"))
def greet(name: str) -> str:
    if name == "Nobody":
        raise ValueError("nobody is there")
    return f"Hello, {name}!"


def enqueue(client: Client, name: str = "Ada", **options: Any) -> str:
    return str(client.enqueue(greet.with_options(**options), name).id)


def start_worker(client: Client) -> None:
    worker = WorkerInfo(
        id=WorkerId(7), name="w", queues=("default",), kinds=("greet",), slots=2, version="1"
    )
    client.store.register(worker, [], [])


def ask(cli: Cli, job_id: str) -> dict[str, Any]:
    said: dict[str, Any] = cli("why", job_id, "--json").json()["why"]
    return said


def follow_advice(cli: Cli, job_id: str) -> None:
    """Run the command that is advised, as a person would paste it."""
    (command,) = COMMAND.findall(ask(cli, job_id)["advice"])
    answer = cli(*shlex.split(command))
    assert answer.code == 0, answer.err


def test_it_says_the_reason_and_what_to_do(cli: Cli, client: Client) -> None:
    job_id = enqueue(client, delay="1h")
    lines = cli("why", job_id).out.splitlines()
    assert lines[0].split() == ["state", "queued"]
    assert lines[1].startswith("why    scheduled: it was not to run before")
    assert lines[2].strip() == "passes in 60 m"
    assert lines[3].strip().startswith("wait, or cancel it")
    assert lines[4].split() == ["also", "no", "worker", "is", "alive"]


def test_with_json_programs_need_not_read_the_sentence(cli: Cli, client: Client) -> None:
    job_id = enqueue(client, delay="1h")
    said = ask(cli, job_id)
    assert (said["job_id"], said["state"], said["reason"]) == (job_id, "queued", "scheduled")
    assert said["until"].endswith("Z")
    assert [each["reason"] for each in said["also"]] == ["no_worker"]


def test_a_job_that_is_not_there_is_exit_code_3(cli: Cli) -> None:
    answer = cli("why", NOBODY)
    assert (answer.code, answer.err) == (3, f"Error: no job {NOBODY}\n")
    assert cli("why", "seven").code == 2


def test_what_a_job_carries_can_not_command_the_terminal(cli: Cli, client: Client) -> None:
    job_id = enqueue(client)
    client.cancel(job_id, by="\x1b[2J[bold]ada")
    text = cli("why", job_id).out
    assert "\x1b" not in text
    assert "[bold]ada" in text


def pause_queue(client: Client, job_id: str) -> None:
    client.queues.pause("default", reason="deploy")


def end_dead(client: Client, job_id: str) -> None:
    client.cancel(job_id, by="ada")


def stand_behind(client: Client, job_id: str) -> None:
    enqueue(client, priority=5)


@pytest.mark.parametrize(
    ("bring", "reason"),
    [(pause_queue, "queue_paused"), (end_dead, "cancelled"), (stand_behind, "in_line")],
)
def test_the_command_that_is_advised_helps(
    cli: Cli, client: Client, bring: Any, reason: str
) -> None:
    start_worker(client)
    job_id = enqueue(client)
    bring(client, job_id)
    assert ask(cli, job_id)["reason"] == reason
    follow_advice(cli, job_id)
    assert ask(cli, job_id)["reason"] == "next"


def test_a_failed_job_is_ready_after_the_advised_retry(cli: Cli, client: Client) -> None:
    job_id = enqueue(client, "Nobody")
    testing.drain(client, [greet])
    start_worker(client)
    assert ask(cli, job_id)["reason"] == "retrying"
    follow_advice(cli, job_id)
    assert ask(cli, job_id)["reason"] == "next"


def limit_running(client: Client, name: str) -> None:
    client.throttles.set("domain", running=0)


def limit_each_worker(client: Client, name: str) -> None:
    client.throttles.set("domain", per_worker=0)


def pause(client: Client, name: str) -> None:
    client.throttles.set("domain", running=1)
    client.throttles.pause(name)


def use_up(client: Client, name: str) -> None:
    """Start a job that costs all there is."""
    client.throttles.set("domain", rate=0.0001, burst=3)
    first = enqueue(client, throttle=name, cost=3, priority=9)
    place = "\x1f".join(("default", "", f"{32767 - 9:05}", "", name))
    (taken,) = client.store.claim_lanes(
        WorkerId(7), [Ask(place, 1)], limit=1, leases={"greet": 60.0}
    ).claims
    assert str(taken.job_id) == first


def declare_nothing(client: Client, name: str) -> None:
    pass


@pytest.mark.parametrize(
    ("close", "reason"),
    [
        (limit_running, "throttled"),
        (limit_each_worker, "throttled"),
        (pause, "throttle_paused"),
        (declare_nothing, "throttle_unknown"),
    ],
)
def test_the_advised_command_opens_a_throttle(
    cli: Cli, client: Client, close: Any, reason: str
) -> None:
    start_worker(client)
    name = "domain:a host's $(own)"
    close(client, name)
    job_id = enqueue(client, throttle=name)
    assert ask(cli, job_id)["reason"] == reason
    follow_advice(cli, job_id)
    assert ask(cli, job_id)["reason"] == "next"


def test_the_advised_rate_is_one_that_the_program_reads(cli: Cli, client: Client) -> None:
    start_worker(client)
    use_up(client, "domain:a.com")
    job_id = enqueue(client, throttle="domain:a.com")
    assert ask(cli, job_id)["reason"] == "rate"
    follow_advice(cli, job_id)
    (key,) = [each for each in client.throttles.list() if each.name == "domain:a.com"]
    assert key.rate == pytest.approx(0.0002, rel=0.01)
    assert key.burst == 3
