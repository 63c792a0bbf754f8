"""`isolation="process"`: a handler's crash, memory and CPU are its child process's own."""

from __future__ import annotations

import time
from typing import TYPE_CHECKING, Any

import pytest

import leasehold as lh
from leasehold.errors import BadOption, Stopping
from leasehold.model.states import State
from leasehold.worker.children import Child
from tests.worker.kit import drain, new_worker, outcomes, wait_for_state
from tests.worker.sample_tasks import (
    ADD,
    add_process,
    babble,
    chatter,
    crash,
    hoard,
    raise_in_child,
    return_badly,
    spin,
)

if TYPE_CHECKING:
    from leasehold.client import Client
    from leasehold.model.values import Job
    from leasehold.worker.attempt import Attempt
    from leasehold.worker.savings import Keeper


def run_one(client: Client, task: lh.Task[..., Any], *args: Any) -> Job:
    job_id = client.enqueue(task, *args).id
    drain(client, task)
    return client.get(job_id)


def test_the_worker_survives_whatever_ends_a_child(client: Client) -> None:
    ends = {
        "segfault": "ended by SIGSEGV",
        "exit": "exited with code 3",
        "sys.exit": "SystemExit: 4",
    }
    jobs = {how: client.enqueue(crash, how).id for how in ends}
    after = client.enqueue(add_process, 1, 1).id

    report = drain(client, crash, add_process, slots=1)
    assert report.dead == len(ends)
    for how, said in ends.items():
        assert client.get(jobs[how]).state is State.DEAD
        assert said in (client.get(jobs[how]).error or "")
    assert client.get(after).result["sum"] == 2


def test_memory_over_the_limit_is_the_jobs_own_failure(client: Client) -> None:
    small, large = client.enqueue(hoard, 1).id, client.enqueue(hoard, 2_000).id
    drain(client, hoard)

    assert client.get(small).result == 1_048_576
    assert client.get(large).state is State.DEAD
    said = "MemoryLimit: over its memory limit of 629,145,600 bytes"
    assert client.get(large).error == said


def test_cpu_over_the_limit_ends_the_child(client: Client) -> None:
    job = run_one(client, spin)
    assert job.state is State.DEAD
    assert job.error == "CpuLimit: over its CPU limit of 1 seconds"


def test_what_a_handler_prints_does_not_disturb_the_pipe(
    client: Client, capfd: pytest.CaptureFixture[str]
) -> None:
    assert run_one(client, chatter).result == "said"
    assert "x" * 1000 in capfd.readouterr().out


def test_a_child_that_sends_no_proper_answer_is_ended(client: Client) -> None:
    job = run_one(client, babble)
    assert job.state is State.DEAD
    assert "no proper answer: a frame of 4,294,967,295 bytes" in (job.error or "")


def test_a_child_is_used_again_by_jobs_of_its_kind(client: Client) -> None:
    client.enqueue_many(add_process.call(n, n) for n in range(5))
    drain(client, add_process, slots=1)
    assert len({job.result["pid"] for job in client.find(kind=add_process)}) == 1


def test_kinds_do_not_share_a_child(client: Client) -> None:
    tasks = [ADD["process"], ADD["async process"]]
    client.enqueue_many(task.call(1, 1) for task in tasks)
    drain(client, *tasks, slots=1)
    assert len({client.find(kind=task)[0].result["pid"] for task in tasks}) == 2


def test_retry_policies_and_signals_work_in_a_child(client: Client) -> None:
    whats = ("parse", "disk", "snooze", "cancel")
    ids = {what: client.enqueue(raise_in_child, what).id for what in whats}
    drain(client, raise_in_child, slots=2)

    assert {what: client.get(job_id).state for what, job_id in ids.items()} == {
        "parse": State.DEAD,
        "disk": State.FAILED,
        "snooze": State.QUEUED,
        "cancel": State.CANCELLED,
    }
    assert client.get(ids["parse"]).error == "ParseError: no such page"
    (failed,) = client.history(ids["disk"])
    assert "disk on fire" in (failed.traceback or "")
    assert outcomes(client, ids["snooze"]) == ["snoozed"]


def test_a_bad_result_and_bad_arguments_are_typed_failures_in_a_child(client: Client) -> None:
    bad_result = client.enqueue(return_badly).id
    bad_args = client.enqueue_by_name(add_process.name, {"a": "x", "b": 1}, max_attempts=1).id
    drain(client, return_badly, add_process)

    assert (client.get(bad_result).error or "").startswith("BadResult")
    assert (client.get(bad_args).error or "").startswith("BadArguments")


def test_children_end_with_their_worker(client: Client) -> None:
    job_id = client.enqueue(add_process, 1, 1).id
    with new_worker(client, [add_process]) as worker:
        wait_for_state(client, job_id, State.SUCCEEDED)
        assert worker._crew is not None
        (child,) = worker._crew.runners._threads._children._idle
        assert child.is_alive
    assert not child.is_alive


def test_a_task_of_the_script_itself_is_refused_clearly(client: Client) -> None:
    @lh.task(name="here", isolation="process")
    def here() -> None:
        return

    here.handler.__module__ = "__main__"
    with pytest.raises(BadOption, match="move it out of the script"):
        new_worker(client, [here])


def test_a_child_that_was_interrupted_as_it_answered_is_not_given_to_the_next_job(
    client: Client, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The kill was meant for the job before: the next one must not be charged for it."""
    answer = Child.run

    def answer_and_be_interrupted(self: Child, attempt: Attempt, keeper: Keeper) -> Any:
        outcome = answer(self, attempt, keeper)
        if "0" in attempt.claim.args:
            attempt.interrupt(Stopping, time.monotonic())
        return outcome

    monkeypatch.setattr(Child, "run", answer_and_be_interrupted)
    for n in range(10):
        client.enqueue(add_process, n % 2, n % 2)
    report = drain(client, add_process, slots=1)
    assert (report.succeeded, report.failed) == (10, 0)
