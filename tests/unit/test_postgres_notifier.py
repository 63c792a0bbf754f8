"""Wake-ups are coalesced; each job that came is told of, whatever comes beside it.

One may go ahead of its job, so that a worker wakes up while the job is on its way to the disk.
"""

from __future__ import annotations

import math
import threading
from collections import Counter
from collections.abc import Iterator
from contextlib import contextmanager

import psycopg
import pytest

import leasehold as lh
from leasehold.store.postgres.waking import LOOKS_SECONDS, Notifier
from leasehold.worker.claimer import WAKE_LOOKS_SECONDS

JOBS = 300


@lh.task(name="told")
def told() -> None: ...


@pytest.fixture
def client(postgres_url: str) -> Iterator[lh.Client]:
    with lh.Client(postgres_url) as client:
        client.store.migrate()
        yield client


@pytest.fixture
def commits_are_quick(monkeypatch: pytest.MonkeyPatch) -> None:
    """Let no job seem to have taken so long that it is told of again: a busy machine is slow."""
    monkeypatch.setattr("leasehold.store.postgres.store.LOOKS_SECONDS", math.inf)


@contextmanager
def listening(url: str) -> Iterator[psycopg.Connection]:
    with psycopg.connect(url, autocommit=True) as ears:
        ears.execute("LISTEN leasehold")
        yield ears


def heard(ears: psycopg.Connection, *, jobs: int) -> tuple[Counter[str], int]:
    """Hear of so many jobs: how many of which queue, and by how many notices."""
    arrivals: Counter[str] = Counter()
    notices = 0
    for notice in ears.notifies(timeout=10):
        count, _, queue = notice.payload.split(":", 2)
        arrivals[queue] += int(count)
        notices += 1
        if arrivals.total() >= jobs:
            break
    for notice in ears.notifies(timeout=0.1):  # nothing is told twice
        arrivals[notice.payload.split(":", 2)[2]] += int(notice.payload.split(":", 1)[0])
    return arrivals, notices


@pytest.mark.usefixtures("commits_are_quick")
def test_jobs_enqueued_one_by_one_are_all_told_of_in_a_few_notices(
    client: lh.Client, postgres_url: str
) -> None:
    with listening(postgres_url) as ears:
        for _ in range(JOBS):
            client.enqueue(told)
        arrivals, notices = heard(ears, jobs=JOBS)
    assert arrivals == {"default": JOBS}
    assert notices < JOBS


@pytest.mark.usefixtures("commits_are_quick")
def test_jobs_of_many_threads_and_two_queues_are_all_told_of(
    client: lh.Client, postgres_url: str
) -> None:
    def enqueue(queue: str) -> None:
        for _ in range(JOBS):
            client.enqueue(told.with_options(queue=queue))

    threads = [threading.Thread(target=enqueue, args=(queue,)) for queue in ("a", "a", "b")]
    with listening(postgres_url) as ears:
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        arrivals, _ = heard(ears, jobs=3 * JOBS)
    assert arrivals == {"a": 2 * JOBS, "b": JOBS}


def test_no_job_takes_the_turn_from_what_waits_for_another_queue(client: lh.Client) -> None:
    """Else a stream of jobs to one queue would put off the others' wake-ups for ever."""
    notifier: Notifier = client.store._notifier  # type: ignore[attr-defined]
    notifier._start = lambda: None  # type: ignore[method-assign]  # none but us takes what waits
    assert notifier.take_turn("busy") is not None
    notifier.notify({"rare": 1})
    notifier._quiet_at = 0.0  # the pause is over
    assert notifier.take_turn("busy") is None
    assert [payload.split(":")[2] for payload in notifier._take()] == ["rare"]


def test_a_job_takes_along_what_waits_for_its_own_queue(client: lh.Client) -> None:
    notifier: Notifier = client.store._notifier  # type: ignore[attr-defined]
    notifier._start = lambda: None  # type: ignore[method-assign]
    notifier.notify({"busy": 2})
    notifier._quiet_at = 0.0
    payload = notifier.take_turn("busy")
    assert payload is not None
    assert (payload.split(":")[0], notifier._take()) == ("3", [])


def hold_up_commits(url: str, *, seconds: float) -> None:
    """Let whatever writes a job wait at its end, as for a slow disk."""
    with psycopg.connect(url, autocommit=True) as connection:
        connection.execute(
            f"""
            CREATE FUNCTION hold_up() RETURNS trigger LANGUAGE plpgsql
              AS $$ BEGIN PERFORM pg_sleep({seconds}); RETURN NULL; END $$;
            CREATE CONSTRAINT TRIGGER hold_up AFTER INSERT ON leasehold.job
              DEFERRABLE INITIALLY DEFERRED FOR EACH ROW EXECUTE FUNCTION hold_up()
            """
        )


def test_a_wake_up_goes_ahead_of_its_job(client: lh.Client, postgres_url: str) -> None:
    hold_up_commits(postgres_url, seconds=0.5)
    with listening(postgres_url) as ears:
        enqueuing = threading.Thread(target=client.enqueue, args=(told,))
        enqueuing.start()
        notice = next(ears.notifies(timeout=10))
        seen = client.find(limit=1)
        enqueuing.join()
    assert notice.payload.split(":")[2] == "default"
    assert seen == []  # it is told of, and not committed yet
    assert len(client.find(limit=1)) == 1


def test_a_job_that_took_longer_to_commit_than_a_woken_worker_looks_is_told_of_again(
    client: lh.Client, postgres_url: str
) -> None:
    hold_up_commits(postgres_url, seconds=4 * sum(WAKE_LOOKS_SECONDS))
    with listening(postgres_url) as ears:
        client.enqueue(told)
        _, notices = heard(ears, jobs=2)
    assert notices == 2


def test_a_job_whose_commit_takes_long_starts_without_waiting_for_a_poll(
    client: lh.Client, postgres_url: str
) -> None:
    hold_up_commits(postgres_url, seconds=4 * sum(WAKE_LOOKS_SECONDS))
    with lh.Worker(client, [told], poll="60s"):
        client.wait(client.enqueue(told), timeout="20s")


def test_a_worker_looks_for_as_long_as_who_enqueues_counts_on() -> None:
    assert sum(WAKE_LOOKS_SECONDS) > LOOKS_SECONDS
