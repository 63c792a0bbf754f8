"""A worker's counts in memory: each attempt once, and no more of them than there is room for."""

from __future__ import annotations

from types import SimpleNamespace
from typing import Any

import pytest

from leasehold.errors import StoreUnavailable
from leasehold.model.ids import Fence, JobId, uuid7
from leasehold.model.states import State
from leasehold.model.statistics import OTHER, Counted
from leasehold.model.values import Settlement
from leasehold.store.base import Answer
from leasehold.worker import counting
from leasehold.worker.counting import Counts

ID: JobId = uuid7(1, bytes(10))


class Written:
    """A store that keeps what it is given, or refuses it."""

    def __init__(self) -> None:
        self.calls: list[list[Counted]] = []
        self.is_away = False

    def add_statistics(self, counted: list[Counted]) -> None:
        if self.is_away:
            raise StoreUnavailable("away")
        self.calls.append(counted)


def attempt(kind: str = "greet", queue: str = "default", started_at: float = 0.0) -> Any:
    return SimpleNamespace(claim=SimpleNamespace(kind=kind, queue=queue), started_at=started_at)


def ended(outcome: str, seconds: float | None) -> Settlement:
    return Settlement(job_id=ID, fence=Fence(1), outcome=outcome, elapsed_seconds=seconds)


def note(counts: Counts, *ends: tuple[str, float | None], answer: Answer = Answer.SETTLED) -> None:
    asked = [(attempt(), ended(outcome, seconds)) for outcome, seconds in ends]
    counts.note(asked, [answer] * len(asked))


def flush(counts: Counts) -> dict[tuple[str, str, int], Any]:
    store: Any = Written()
    counts.flush(store)
    found = [each for call in store.calls for each in call]
    return {
        (each.kind, each.fact, each.bucket): (each.count, pytest.approx(each.seconds))
        for each in found
    }


def test_nothing_new_is_nothing_to_write() -> None:
    assert flush(Counts()) == {}
    counts = Counts()
    note(counts, ("succeeded", 1.0))
    assert flush(counts)
    assert flush(counts) == {}


def test_run_times_are_in_buckets_and_outcomes_together() -> None:
    counts = Counts()
    note(counts, ("succeeded", 1.5), ("succeeded", 1.0), ("succeeded", 0.3), ("failed", 1.2))
    note(counts, ("succeeded", None), ("snoozed", 1.5), ("dead", 1e12), ("dead", 0.0))
    assert flush(counts) == {
        ("greet", "succeeded", 0): (4, 0.0),
        ("greet", "failed", 0): (1, 0.0),
        ("greet", "snoozed", 0): (1, 0.0),
        ("greet", "dead", 0): (2, 0.0),
        ("greet", "ran", 1): (3, 3.7),
        ("greet", "ran", -1): (1, 0.3),
        ("greet", "ran", 24): (1, 1e12),
        ("greet", "ran", -13): (1, 0.0),
    }


def test_a_lost_attempt_is_counted_as_that_only() -> None:
    counts = Counts()
    asked = [(attempt(), ended("succeeded", 1.0)) for _ in range(3)]
    counts.note(asked, [Answer.SETTLED, Answer.LOST, Answer.ALREADY])
    assert flush(counts) == {
        ("greet", "succeeded", 0): (2, 0.0),
        ("greet", "lost", 0): (1, 0.0),
        ("greet", "ran", 1): (2, 2.0),
    }


def test_what_transactions_settled_is_counted_with_its_time() -> None:
    counts = Counts()
    counts.note_settled([(attempt(started_at=10.0), 11.5), (attempt(started_at=10.0), 9.0)])
    found = flush(counts)
    assert found["greet", "succeeded", 0] == (2, 0.0)
    assert found["greet", "ran", 1] == (1, 1.5)


def test_what_was_taken_back_is_counted_as_the_history_has_it() -> None:
    ids = [uuid7(1, bytes([number]) + bytes(9)) for number in range(5)]
    states = [State.QUEUED, State.FAILED, State.DEAD, State.CANCELLED, State.QUEUED]
    taken = dict(zip(ids, states, strict=True))
    counts = Counts()
    counts.note_lapses(taken, dict.fromkeys(ids[:4], ("default", "greet")))
    assert {fact: count for (_, fact, _), (count, _) in flush(counts).items()} == {
        "lapsed": 2,
        "dead": 1,
        "cancelled": 1,
    }


def test_what_could_not_be_written_is_kept_with_what_came_since() -> None:
    counts, store = Counts(), Written()
    anything: Any = store
    note(counts, ("succeeded", 1.0))
    store.is_away = True
    with pytest.raises(StoreUnavailable):
        counts.flush(anything)
    note(counts, ("succeeded", 1.0))
    assert flush(counts) == {("greet", "succeeded", 0): (2, 0.0), ("greet", "ran", 1): (2, 2.0)}


def test_too_many_kinds_are_counted_as_one(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(counting, "MOST_CELLS", 3)
    counts = Counts()
    asked = [(attempt(f"kind {number}"), ended("succeeded", 1.0)) for number in range(10)]
    counts.note(asked, [Answer.SETTLED] * 10)
    found = flush(counts)
    assert found[OTHER, "succeeded", 0][0] == 7
    assert sum(count for (_, fact, _), (count, _) in found.items() if fact == "succeeded") == 10


@pytest.mark.parametrize("amount", [1, 31, 32, 33, 100, 1_000])
def test_some_run_times_of_a_batch_that_went_well_stand_for_all_of_it(amount: int) -> None:
    counts = Counts()
    counts.note_successes([(attempt(), ended("succeeded", 1.0)) for _ in range(amount)])
    assert flush(counts) == {
        ("greet", "succeeded", 0): (amount, 0.0),
        ("greet", "ran", 1): (amount, float(amount)),
    }


def test_a_batch_of_several_kinds_that_went_well_is_counted_by_kind() -> None:
    counts = Counts()
    kinds = [f"kind {number % 3}" for number in range(90)]
    counts.note_successes([(attempt(kind), ended("succeeded", 1.0)) for kind in kinds])
    found = flush(counts)
    assert {key: count for key, (count, _) in found.items() if key[1] == "succeeded"} == {
        (f"kind {number}", "succeeded", 0): 30 for number in range(3)
    }
    assert sum(count for (_, fact, _), (count, _) in found.items() if fact == "ran") == 90
