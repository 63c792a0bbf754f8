"""An enqueue whose answer was lost is repeated once, under the same ids."""

from __future__ import annotations

import subprocess
import sys
from functools import partial
from typing import TYPE_CHECKING, cast
from uuid import uuid4

import pytest

import leasehold as lh
from leasehold.model.keys import Standing, Verdict
from tests.api.connections import alchemy_engine
from tests.api.tasks import greet

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from leasehold.model.ids import JobId
    from leasehold.model.values import NewJob
    from leasehold.store.base import Answers, EnqueueScript, Store


class FlakyStore:
    """Writes jobs down, and then loses as many answers as told."""

    url = "sqlite:///nowhere"

    def __init__(self, lost_answers: int) -> None:
        self.lost_answers = lost_answers
        self.tries = 0
        self.jobs: dict[JobId, NewJob] = {}

    def enqueue(self, jobs: Sequence[NewJob]) -> Answers:
        self.tries += 1
        existing = {job.id: Standing(job.id, Verdict.SAME) for job in jobs if job.id in self.jobs}
        self.jobs.update({job.id: job for job in jobs})
        if self.tries <= self.lost_answers:
            raise lh.StoreUnavailable("the connection was cut after COMMIT was sent")
        return existing

    def begin_enqueue(self, jobs: Sequence[NewJob]) -> Callable[[], Answers]:
        return partial(self.enqueue, jobs)


def client_on(store: FlakyStore) -> lh.Client:
    return lh.Client(store=cast("Store", store))


def test_a_lost_answer_is_made_good_by_a_second_try_and_one_job() -> None:
    store = FlakyStore(lost_answers=1)
    enqueued = client_on(store).enqueue(greet, "a")
    assert list(store.jobs) == [enqueued.id]
    assert enqueued.is_new, "an id of our own is new, although the second try found it there"
    assert store.tries == 2


def test_many_jobs_with_a_lost_answer_are_counted_as_new() -> None:
    store = FlakyStore(lost_answers=1)
    assert client_on(store).enqueue_many(greet.call("a") for _ in range(10)) == 10
    assert len(store.jobs) == 10


def test_many_jobs_whose_write_could_not_begin_are_written_by_a_second_try() -> None:
    class Restarting(FlakyStore):
        def begin_enqueue(self, jobs: Sequence[NewJob]) -> Callable[[], Answers]:
            raise lh.StoreUnavailable(f"the database restarts, {len(jobs)} jobs wait")

    store = Restarting(lost_answers=0)
    assert client_on(store).enqueue_many([greet.call("a"), greet.call("b")], chunk=1) == 2
    assert len(store.jobs) == 2


def test_after_two_lost_answers_the_caller_is_told() -> None:
    store = FlakyStore(lost_answers=2)
    with pytest.raises(lh.StoreUnavailable):
        client_on(store).enqueue(greet, "a")
    assert store.tries == 2


def test_other_errors_are_not_tried_again() -> None:
    class Busy(FlakyStore):
        def enqueue(self, jobs: Sequence[NewJob]) -> Answers:
            self.tries += len(jobs)
            raise lh.StoreBusy("locked")

    store = Busy(lost_answers=0)
    with pytest.raises(lh.StoreBusy):
        client_on(store).enqueue(greet, "a")
    assert store.tries == 1


def test_a_given_id_that_stood_there_is_not_new() -> None:
    store = FlakyStore(lost_answers=0)
    given = greet.with_options(id=uuid4())
    client = client_on(store)
    assert [client.enqueue(given, "a").is_new for _ in range(2)] == [True, False]


def test_an_unreachable_database_is_store_unavailable() -> None:
    with (
        lh.Client("postgresql://127.0.0.1:1/nowhere?connect_timeout=1") as client,
        pytest.raises(lh.StoreUnavailable),
    ):
        client.enqueue(greet, "a")


def test_a_real_store_whose_answer_was_lost_has_one_job(
    client: lh.Client, monkeypatch: pytest.MonkeyPatch
) -> None:
    write = client.store.enqueue
    answers: list[Answers] = []

    def lose_first_answer(jobs: Sequence[NewJob]) -> Answers:
        answers.append(write(jobs))
        if len(answers) == 1:
            raise lh.StoreUnavailable("the connection was cut after COMMIT was sent")
        return answers[-1]

    monkeypatch.setattr(client.store, "enqueue", lose_first_answer)
    enqueued = client.enqueue(greet, "a")
    assert [set(each) for each in answers] == [set(), {enqueued.id}]
    assert enqueued.is_new
    assert [job.id for job in client.find()] == [enqueued.id]


def test_on_a_callers_connection_nothing_is_tried_again(
    client: lh.Client, monkeypatch: pytest.MonkeyPatch
) -> None:
    tries = 0

    def cut(_jobs: Sequence[NewJob]) -> EnqueueScript:
        nonlocal tries
        tries += 1
        raise lh.StoreUnavailable("cut")
        yield  # type: ignore[unreachable] # makes it a generator

    monkeypatch.setattr(client.store, "enqueue_script", cut)
    with alchemy_engine(client.store.url) as engine, pytest.raises(lh.StoreUnavailable):
        client.on(engine).enqueue(greet, "a")
    assert tries == 1


def test_without_its_driver_postgresql_says_what_to_install() -> None:
    code = """
import sys
sys.modules["psycopg"] = None
import leasehold as lh
try:
    lh.Client("postgresql://nowhere").store
except lh.StoreRefused as error:
    print(error)
"""
    run = subprocess.run([sys.executable, "-c", code], capture_output=True, check=True, text=True)
    assert "pip install 'leasehold[postgres]'" in run.stdout
