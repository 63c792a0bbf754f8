"""What a handler raises decides how its attempt ends, by its signal or by its task's policy."""

from __future__ import annotations

import asyncio
from datetime import UTC, datetime, timedelta
from typing import TYPE_CHECKING, Any

import pytest

import leasehold as lh
from leasehold.model.states import State
from tests.worker.kit import drain, new_worker, outcomes, wait_for_state

if TYPE_CHECKING:
    from uuid import UUID

    from leasehold.client import Client
    from leasehold.model.values import Job

SORTS = ("async", "blocking")


def raising(
    error: BaseException | type[BaseException], sort: str = "blocking", **options: Any
) -> lh.Task[[], Any]:
    """Make a task that raises this."""

    async def handle_async() -> None:
        raise error

    def handle() -> None:
        raise error

    return lh.task(name="raise", **options)(handle_async if sort == "async" else handle)


def run_one(client: Client, task: lh.Task[[], Any]) -> Job:
    job_id = client.enqueue(task).id
    drain(client, task)
    return client.get(job_id)


def seconds_to_run(job: Job) -> float:
    assert job.run_at is not None
    return (job.run_at - datetime.now(UTC)).total_seconds()


def last_error(client: Client, job_id: UUID) -> str:
    return client.history(job_id)[-1].error or ""


@pytest.mark.parametrize("sort", SORTS)
def test_an_error_is_kept_with_its_traceback_and_retried_by_the_policy(
    client: Client, sort: str
) -> None:
    job = run_one(client, raising(KeyError("isbn"), sort, retry=lh.delays("10m", "20m")))

    assert (job.state, job.failures, job.attempt) == (State.FAILED, 1, 1)
    assert 590 < seconds_to_run(job) <= 600
    (attempt,) = client.history(job.id)
    assert (attempt.outcome, attempt.error) == ("failed", "KeyError: 'isbn'")
    assert "raise error" in (attempt.traceback or "")


@pytest.mark.parametrize("sort", SORTS)
def test_a_retry_signal_goes_before_the_policy_and_is_counted(client: Client, sort: str) -> None:
    job = run_one(client, raising(lh.Retry("2h", "not yet"), sort, retry=lh.never()))

    assert (job.state, job.failures) == (State.FAILED, 1)
    assert 7190 < seconds_to_run(job) <= 7200
    assert "not yet" in last_error(client, job.id)


def test_a_retry_signal_with_the_last_attempt_spent_is_death(client: Client) -> None:
    job = run_one(client, raising(lh.Retry("2h"), max_attempts=1))
    assert (job.state, job.failures) == (State.DEAD, 1)


@pytest.mark.parametrize("sort", SORTS)
def test_a_snooze_is_not_counted(client: Client, sort: str) -> None:
    job = run_one(client, raising(lh.Snooze("2h", reason="closed"), sort, max_attempts=1))

    assert (job.state, job.failures, job.attempt) == (State.QUEUED, 0, 1)
    assert 7190 < seconds_to_run(job) <= 7200
    assert outcomes(client, job.id) == ["snoozed"]


def test_a_snooze_until_a_moment_comes_back_then(client: Client) -> None:
    until = datetime.now(UTC).replace(microsecond=0) + timedelta(days=1)
    assert run_one(client, raising(lh.Snooze(until=until))).run_at == until


@pytest.mark.parametrize("sort", SORTS)
def test_dead_ends_the_job_for_good(client: Client, sort: str) -> None:
    job = run_one(client, raising(lh.Dead("the account is closed"), sort))
    assert (job.state, job.error) == (State.DEAD, "Dead: the account is closed")


@pytest.mark.parametrize("sort", SORTS)
def test_cancel_ends_the_job_as_cancelled(client: Client, sort: str) -> None:
    job = run_one(client, raising(lh.Cancel("superseded"), sort))
    assert (job.state, job.failures, job.error) == (State.CANCELLED, 0, "superseded")


def test_attempts_without_delay_are_spent_one_after_the_other(client: Client) -> None:
    job = run_one(client, raising(ValueError("no"), retry=lh.fixed(0), max_attempts=3))

    assert (job.state, job.failures, job.attempt) == (State.DEAD, 3, 3)
    assert outcomes(client, job.id) == ["failed", "failed", "dead"]


def test_a_job_that_fails_at_first_succeeds_in_the_end(client: Client) -> None:
    @lh.task(name="flaky", retry=lh.fixed("20ms"), max_attempts=10)
    def flaky() -> int:
        attempt = lh.current_job().attempt
        if attempt < 4:
            raise ConnectionError
        return attempt

    job_id = client.enqueue(flaky).id
    with new_worker(client, [flaky]):
        wait_for_state(client, job_id, State.SUCCEEDED)
    job = client.get(job_id)
    assert (job.result, job.failures, job.attempt) == (4, 3, 4)


def test_the_policy_chooses_by_the_class_of_the_error(client: Client) -> None:
    policy = lh.per_exception({LookupError: None, OSError: lh.fixed("1h")})

    missing = run_one(client, raising(KeyError("x"), retry=policy))
    broken = run_one(client, raising(ConnectionResetError("x"), retry=policy))
    assert (missing.state, broken.state) == (State.DEAD, State.FAILED)
    assert 3590 < seconds_to_run(broken) <= 3600


def test_a_policy_that_raises_is_a_failure_and_not_the_end_of_the_worker(
    client: Client, caplog: pytest.LogCaptureFixture
) -> None:
    def broken(failure: lh.Failure) -> float:
        raise ZeroDivisionError

    job = run_one(client, raising(ValueError("the handler's own"), retry=broken))
    assert job.state is State.FAILED
    assert job.error == "ZeroDivisionError"
    assert "the handler's own" in (client.history(job.id)[-1].traceback or "")
    assert "retry policy failed" in caplog.text


@pytest.mark.parametrize("sort", SORTS)
def test_no_error_of_a_handler_ends_the_worker(client: Client, sort: str) -> None:
    errors = {each.__name__: each for each in (SystemExit, KeyboardInterrupt, GeneratorExit)}

    async def handle_async(name: str) -> None:
        raise errors[name]

    def handle(name: str) -> None:
        raise errors[name]

    task = lh.task(name="end it", max_attempts=1)(handle_async if sort == "async" else handle)
    client.enqueue_many(task.call(name) for name in errors)
    assert drain(client, task).dead == len(errors)
    assert {job.error for job in client.find(kind="end it")} == errors.keys()


@pytest.mark.parametrize("sort", SORTS)
def test_arguments_that_do_not_fit_the_handler_are_a_typed_failure(
    client: Client, sort: str
) -> None:
    async def handle_async(count: int) -> None:
        raise AssertionError

    def handle(count: int) -> None:
        raise AssertionError

    task = lh.task(name="typed", max_attempts=1)(handle_async if sort == "async" else handle)
    job_id = client.enqueue_by_name("typed", {"count": "many"}, max_attempts=1).id
    drain(client, task)

    job = client.get(job_id)
    assert job.state is State.DEAD
    assert (job.error or "").startswith("BadArguments: arguments of 'typed'")


BAD_RESULTS: dict[str, Any] = {
    "nan": float("nan"),
    "NUL": "\x00",
    "surrogate": "\ud800",
    "64 bits": 2**63,
    "object": object(),
    "time zone": datetime(2026, 1, 1),  # noqa: DTZ001 - the point
    "limit": "x" * 300_000,
}


@pytest.mark.parametrize("sort", SORTS)
def test_a_result_that_can_not_be_stored_is_a_typed_failure(client: Client, sort: str) -> None:
    async def handle_async(name: str) -> Any:
        return BAD_RESULTS[name]

    def handle(name: str) -> Any:
        return BAD_RESULTS[name]

    task = lh.task(name="bad", max_attempts=1)(handle_async if sort == "async" else handle)
    client.enqueue_many(task.call(name) for name in BAD_RESULTS)
    drain(client, task)

    jobs = client.find(kind="bad")
    assert len(jobs) == len(BAD_RESULTS)
    for job in jobs:
        assert job.state is State.DEAD
        assert (job.error or "").startswith("BadResult: result of 'bad'")
        assert job.args["name"] in (job.error or "")


def test_an_error_whose_message_can_not_be_stored_is_stored_all_the_same(client: Client) -> None:
    class Rude(Exception):
        def __str__(self) -> str:
            raise RuntimeError

    nul = run_one(client, raising(ValueError("a\x00b\ud800"), max_attempts=1))
    rude = run_one(client, raising(Rude(), max_attempts=1))
    assert nul.error == "ValueError: a\ufffdb?"
    assert "can't be shown" in (rude.error or "")


def test_a_handler_that_cancels_itself_has_failed(client: Client) -> None:
    job = run_one(client, raising(asyncio.CancelledError(), "async", max_attempts=1))
    assert job.state is State.DEAD
    assert "cancelled itself" in (job.error or "")
