"""What stands behind a job goes to one: to who ends the job, or to who parts its line before."""

from __future__ import annotations

import time
from datetime import timedelta
from typing import Any, cast
from uuid import UUID

import pytest

import leasehold as lh
from leasehold.model.ids import Fence, JobId
from leasehold.model.outcomes import Succeeded
from leasehold.model.values import Claim
from leasehold.worker.attempt import Attempt, attempt_of, line_up
from leasehold.worker.book import Book
from leasehold.worker.conclusion import Conclusion

MINUTE = timedelta(minutes=1).total_seconds()


@lh.task(name="tests.book.greet")
def greet() -> None: ...


class ToNobody:
    """A finisher that settles nothing."""

    def put(self, *_: Any) -> None: ...


def attempt(number: int, *, behind: int | None = None) -> Attempt:
    claim = Claim(
        job_id=JobId(UUID(int=number)),
        fence=Fence(1),
        kind=greet.name,
        queue="default",
        args="{}",
        attempt=1,
        failures=0,
        lapses=0,
        max_attempts=3,
        timeout_seconds=MINUTE,
        tenant="",
        priority=0,
        lease_seconds=MINUTE,
        behind=None if behind is None else JobId(UUID(int=behind)),
    )
    return attempt_of(claim, greet, 0.0)


@pytest.fixture
def line() -> list[Attempt]:
    first, second = attempt(1), attempt(2)
    first.following = second
    return [first, second]


@pytest.fixture
def started(line: list[Attempt]) -> list[Attempt]:
    """Those that were started because the one before has ended."""
    return []


@pytest.fixture
def book(line: list[Attempt]) -> Book:
    opened = Book()
    opened.add(line)
    return opened


@pytest.fixture
def conclusion(book: Book, started: list[Attempt]) -> Conclusion:
    made = Conclusion(book, cast("Any", ToNobody()))
    made.follow = started.append
    return made


def test_who_ends_a_job_starts_what_follows_it(
    line: list[Attempt], book: Book, conclusion: Conclusion, started: list[Attempt]
) -> None:
    conclusion.outcome(line[0], Succeeded())
    assert started == [line[1]]
    assert book.part(line[0]) is None


def test_a_line_that_was_parted_is_nobodys_to_go_on_with(
    line: list[Attempt], book: Book, conclusion: Conclusion, started: list[Attempt]
) -> None:
    assert book.part(line[0]) is line[1]
    conclusion.outcome(line[0], Succeeded())
    assert started == []


def test_between_an_end_and_what_follows_nobody_parts_the_line(
    line: list[Attempt], book: Book
) -> None:
    assert book.end(line[0])
    assert book.part(line[0]) is None
    assert line[0].following is line[1]


def test_a_line_has_one_slot_until_its_last_has_ended() -> None:
    book = Book()
    first, second, alone = attempts = [attempt(1), attempt(2, behind=1), attempt(3)]
    book.add(attempts)
    line_up(attempts)
    slots = [book.open_slots()]
    for each in (first, alone, second):
        book.end(each)
        slots.append(book.open_slots())
    assert slots == [2, 2, 1, 0]


def test_it_is_busy_from_the_first_claim_to_the_last_end() -> None:
    book = Book()
    attempts = [attempt(1), attempt(2)]
    idle_at = time.monotonic()
    began = book.busy_seconds(idle_at)
    assert book.busy_seconds(idle_at + 50) == began  # nothing was open
    book.add(attempts)
    book.end(attempts[0])
    busy_at = time.monotonic()
    passed = book.busy_seconds(busy_at + 50) - book.busy_seconds(busy_at)
    assert passed == pytest.approx(50)  # one is
    book.end(attempts[1])
    ended_at = time.monotonic()
    assert book.busy_seconds(ended_at + 50) == book.busy_seconds(ended_at)
