"""Every state x event, driven on both stores and compared with the one table of transitions."""

from __future__ import annotations

from itertools import product
from typing import TYPE_CHECKING, NamedTuple

import pytest

from leasehold.model.states import ENDINGS, GONE, Event, State, after
from tests.conformance.driver import drive, prepare
from tests.conformance.kit import (
    LATER_SECONDS,
    Place,
    bring,
    claim,
    enqueue_one,
    look,
    pass_time,
    promote,
    settle,
    start_one,
)
from tests.conformance.tables import LIVE, places, snapshot

if TYPE_CHECKING:
    from leasehold.model.ids import JobId
    from leasehold.model.states import Gone
    from leasehold.store.base import Store
    from tests.conformance.driver import Subject
    from tests.conformance.tables import Tables

EVERY_PAIR = list(product(State, Event))


class Case(NamedTuple):
    """An event that meets a job in a state, with or without a throttle, perhaps behind another."""

    state: State
    event: Event
    is_throttled: bool
    is_behind: bool = False
    is_dependent: bool = False

    @property
    def wanted(self) -> State | Gone | None:
        return after(
            self.state,
            self.event,
            is_throttled=self.is_throttled,
            is_behind=self.is_behind,
            is_dependent=self.is_dependent,
        )

    def __str__(self) -> str:
        traits = ("-throttled" * self.is_throttled) + ("-behind" * self.is_behind)
        traits += "-dependent" * self.is_dependent
        return f"{self.state}-{self.event}{traits}"


OF_PLAIN = [pair for pair in EVERY_PAIR if pair[0] is not State.BLOCKED]
# A throttled job is queued only while it is for later, and then nothing claims it.
OF_THROTTLED = [pair for pair in EVERY_PAIR if pair != (State.QUEUED, Event.CLAIM)]
EVERY_CASE = [
    *(Case(*pair, is_throttled=False) for pair in OF_PLAIN),
    *(Case(*pair, is_throttled=True) for pair in OF_THROTTLED),
    *(Case(State.BLOCKED, *pair, is_behind=True) for pair in product(Event, (False, True))),
    *(
        Case(state, event, is_throttled=is_throttled, is_dependent=True)
        for state in (State.BLOCKED, State.CANCELLED)
        for event, is_throttled in product(Event, (False, True))
    ),
]
ALLOWED = [case for case in EVERY_CASE if case.wanted is not None]
REFUSED = [case for case in EVERY_CASE if case.wanted is None]


def seen(store: Store, job_id: JobId) -> State | Gone:
    job = store.get(job_id)
    return GONE if job is None else job.state


def live_rows(tables: Tables, job_id: JobId) -> int:
    return sum(str(row["job_id"]) == str(job_id) for name in LIVE for row in tables.rows(name))


def prepare_for(store: Store, case: Case) -> Subject:
    subject = prepare(
        store,
        case.state,
        case.event,
        is_throttled=case.is_throttled,
        is_behind=case.is_behind,
        is_dependent=case.is_dependent,
    )
    assert seen(store, subject.job_id) is case.state
    return subject


@pytest.mark.parametrize("case", ALLOWED, ids=str)
def test_an_event_leads_where_the_table_says(store: Store, tables: Tables, case: Case) -> None:
    subject = prepare_for(store, case)
    before = snapshot(tables)
    drive(store, subject, case.event)

    assert seen(store, subject.job_id) is case.wanted
    assert snapshot(tables) != before
    assert not (case.is_throttled and "ready" in places(tables, subject.job_id))
    is_live = isinstance(case.wanted, State) and not case.wanted.is_final
    assert live_rows(tables, subject.job_id) == int(is_live)


@pytest.mark.parametrize("case", REFUSED, ids=str)
def test_an_event_that_is_not_in_the_table_changes_nothing(
    store: Store, tables: Tables, case: Case
) -> None:
    subject = prepare_for(store, case)
    before = snapshot(tables)
    drive(store, subject, case.event)

    assert seen(store, subject.job_id) is case.state
    assert snapshot(tables) == before


@pytest.mark.parametrize("is_throttled", [False, True])
@pytest.mark.parametrize("event", sorted(ENDINGS))
def test_whatever_ends_a_cancelled_attempt_ends_it_cancelled(
    store: Store, tables: Tables, event: Event, *, is_throttled: bool
) -> None:
    subject = prepare(store, State.RUNNING, event, is_throttled=is_throttled)
    assert store.cancel(subject.job_id, by=None) is State.RUNNING
    failures = look(store, subject.job_id).failures
    drive(store, subject, event)

    wanted = after(State.RUNNING, event, cancel_requested=True, is_throttled=is_throttled)
    assert wanted is State.CANCELLED
    assert seen(store, subject.job_id) is State.CANCELLED
    assert live_rows(tables, subject.job_id) == 0
    assert look(store, subject.job_id).failures == failures
    assert store.history(subject.job_id)[-1].outcome == "cancelled"


@pytest.mark.parametrize("event", [Event.CLAIM, Event.FALL_DUE, Event.RETRY, Event.DELETE])
def test_a_cancelled_attempt_that_runs_on_refuses_what_a_running_job_refuses(
    store: Store, tables: Tables, event: Event
) -> None:
    subject = prepare(store, State.RUNNING, event)
    store.cancel(subject.job_id, by=None)
    before = snapshot(tables)
    drive(store, subject, event)

    assert snapshot(tables) == before


@pytest.mark.parametrize("place", [Place.SCHEDULED, Place.PARKED])
@pytest.mark.parametrize("event", [Event.CANCEL, Event.REPRIORITISE, Event.DELETE])
def test_queued_is_one_state_in_three_tables(
    store: Store, tables: Tables, place: Place, event: Event
) -> None:
    ready = prepare(store, State.QUEUED, event)
    store.delete(ready.job_id)
    subject = ready._replace(job_id=bring(store, place).job_id)
    drive(store, subject, event)

    assert seen(store, subject.job_id) is after(State.QUEUED, event)


def test_a_job_for_later_is_queued_but_not_claimed(store: Store) -> None:
    job_id = enqueue_one(store, delay_seconds=LATER_SECONDS)

    assert claim(store) == []
    assert look(store, job_id).state is State.QUEUED


@pytest.mark.parametrize("outcome", ["snoozed", "released"])
def test_an_uncharged_ending_of_a_job_that_failed_before_is_waiting_again(
    store: Store, outcome: str
) -> None:
    """In `scheduled` with failures it looks failed, in `ready` it looks queued."""
    taken = start_one(store)
    settle(store, taken, "failed", error="Boom", delay_seconds=0.0, is_counted=True)
    pass_time(store, 1)
    promote(store)
    (again,) = claim(store)
    settle(store, again, outcome, delay_seconds=60.0)

    job = look(store, taken.job_id)
    assert job.state is (State.FAILED if outcome == "snoozed" else State.QUEUED)
    assert job.failures == 1
