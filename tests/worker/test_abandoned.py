"""A handler that nothing stops is left behind: its attempt ends, and the worker says so."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

import leasehold as lh
from leasehold.model.states import State
from leasehold.worker import Reason
from leasehold.worker.attempt import Attempt, attempt_of
from leasehold.worker.book import Book
from leasehold.worker.watch import Watch
from tests.worker.kit import new_worker, outcomes, wait_for_state
from tests.worker.sample_tasks import STUCK, add_async, add_blocking

if TYPE_CHECKING:
    from collections.abc import Iterator

    from leasehold.client import Client

PLAIN: dict[str, lh.Task[..., Any]] = {"async": add_async, "blocking": add_blocking}


@pytest.fixture(autouse=True)
def _soon(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("leasehold.worker.watch.ABANDON_SECONDS", 0.3)


@pytest.fixture
def release(tmp_path: Path) -> Iterator[str]:
    """Let stuck handlers go at the test's end, so that no thread outlives it for long."""
    path = tmp_path / "release"
    yield str(path)
    path.touch()


@pytest.mark.parametrize("sort", STUCK)
def test_a_run_that_had_to_abandon_a_handler_ends_with_70(
    client: Client, sort: str, beacon: str, release: str, caplog: pytest.LogCaptureFixture
) -> None:
    job_id = client.enqueue(STUCK[sort], beacon, release).id
    worker = new_worker(client, [STUCK[sort]], grace="2s")

    report = worker.run()
    assert (report.reason, report.exit_code, report.dead) == (Reason.ABANDONED, 70, 1)
    assert not worker.is_healthy
    assert (client.get(job_id).error or "").startswith("TimedOut")
    assert "handler abandoned" in caplog.text


def test_the_others_end_before_the_run_does(client: Client, beacon: str, release: str) -> None:
    @lh.task(name="patient")
    def patient() -> str:
        while lh.current_job().seconds_left > 3599:
            pass
        return "done"

    client.enqueue(STUCK["blocking"], beacon, release)
    other = client.enqueue(patient).id
    report = new_worker(client, [STUCK["blocking"], patient], slots=2).run()

    assert report.reason is Reason.ABANDONED
    assert client.get(other).result == "done"


@pytest.mark.parametrize("sort", STUCK)
def test_an_embedded_worker_replaces_the_slot_and_turns_unhealthy(
    client: Client, sort: str, beacon: str, release: str
) -> None:
    stuck = client.enqueue(STUCK[sort], beacon, release).id
    with new_worker(client, [STUCK[sort], PLAIN[sort]], slots=1) as worker:
        wait_for_state(client, stuck, State.DEAD)
        later = [client.enqueue(PLAIN[sort], n, n).id for n in range(3)]
        for job_id in later:
            wait_for_state(client, job_id, State.SUCCEEDED)
        assert not worker.is_healthy
        assert worker.is_running


@pytest.mark.parametrize("sort", STUCK)
def test_all_slots_are_there_again_after_a_slot_was_replaced(
    client: Client, sort: str, beacon: str, release: str
) -> None:
    import asyncio
    import threading

    met = threading.Barrier(2)

    async def meet_async() -> None:
        await asyncio.to_thread(met.wait, 10)

    def meet() -> None:
        met.wait(10)

    together = lh.task(name="meet", max_attempts=1)(meet_async if sort == "async" else meet)
    stuck = client.enqueue(STUCK[sort], beacon, release).id
    with new_worker(client, [STUCK[sort], together], slots=2):
        wait_for_state(client, stuck, State.DEAD)
        pair = [client.enqueue(together).id for _ in range(2)]
        for job_id in pair:
            wait_for_state(client, job_id, State.SUCCEEDED)


@pytest.mark.parametrize("sort", STUCK)
def test_what_an_abandoned_handler_returns_in_the_end_is_dropped(
    client: Client, sort: str, beacon: str, release: str
) -> None:
    stuck = client.enqueue(STUCK[sort], beacon, release).id
    with new_worker(client, [STUCK[sort], PLAIN[sort]], slots=1):
        wait_for_state(client, stuck, State.DEAD)
        Path(release).touch()
        after = client.enqueue(PLAIN[sort], 1, 1).id
        wait_for_state(client, after, State.SUCCEEDED)
    assert outcomes(client, stuck) == ["dead"]
    assert client.get(stuck).result is None


def test_a_handler_that_ends_just_in_time_is_not_called_abandoned(client: Client) -> None:
    """It ended between the watch's look at the running ones and its verdict."""

    class EndsMeanwhile(Book):
        def running(self) -> list[Attempt]:
            found = super().running()
            for attempt in found:
                self.end(attempt)
            return found

    book, abandoned, settled = EndsMeanwhile(), list[Attempt](), list[Attempt]()
    attempt = _running_attempt(client, book)
    attempt.interrupt(lh.errors.TimedOut, 0.0)
    watch = Watch(book, _conclusion(book, settled), abandoned.append)
    watch.step(1_000_000.0)
    assert (abandoned, settled) == ([], [])


def _conclusion(book: Book, settled: list[Attempt]) -> lh.worker.conclusion.Conclusion:
    from leasehold.worker.conclusion import Conclusion

    class Sink:
        def put(self, attempt: Attempt, _outcome: object) -> None:
            settled.append(attempt)

    return Conclusion(book, Sink())  # type: ignore[arg-type]


def _running_attempt(client: Client, book: Book) -> Attempt:
    from leasehold.model.ids import WorkerId
    from leasehold.model.values import Want

    client.enqueue(add_blocking, 1, 1)
    (claim,) = client.store.claim(
        WorkerId(1), [Want("default", 1)], limit=1, leases={add_blocking.name: 60.0}
    )
    attempt = attempt_of(claim, add_blocking, 0.0)
    book.add([attempt])
    book.start(attempt, 0.0)
    return attempt
