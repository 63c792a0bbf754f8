"""Drives one event against one job in whatever state it is, for the test of the transitions."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, NamedTuple

from leasehold.model.ids import Fence
from leasehold.model.keys import Unique, Verdict
from leasehold.model.lanes import SUSPECTS, Rule
from leasehold.model.needs import Needs
from leasehold.model.states import Event, State
from leasehold.model.values import Lapsed, Settlement
from tests.conformance.key_kit import KEY, REPLACE, ask, hand_over, start, succeed
from tests.conformance.kit import (
    HOST,
    LATER_SECONDS,
    LEASE_SECONDS,
    RULE,
    WORKER,
    Place,
    bring,
    claim,
    declare,
    enqueue_one,
    pass_time,
    promote,
    settle,
    start_one,
    start_suspect,
    take_lanes,
)

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from leasehold.model.ids import JobId
    from leasehold.model.values import Claim
    from leasehold.store.base import Store

LAPSES = (Event.LAPSE, Event.LAPSE_CHARGED, Event.LAPSE_LAST)
OUTCOMES = {
    Event.SUCCEED: "succeeded",
    Event.FAIL: "failed",
    Event.DIE: "dead",
    Event.SNOOZE: "snoozed",
    Event.RELEASE: "released",
}


class Subject(NamedTuple):
    """A job and all that a worker or an upkeep ever knew of it, perhaps out of date.

    `holder` is the running job of its key that it stands behind, `needed` the one it waits for.
    """

    job_id: JobId
    fence: Fence
    lapsed: Lapsed
    holder: Claim | None = None
    needed: Claim | None = None


def prepare(
    store: Store,
    state: State,
    event: Event,
    *,
    is_throttled: bool = False,
    is_behind: bool = False,
    is_dependent: bool = False,
) -> Subject:
    """Bring a job into the state, a running one so that this very event can happen to it.

    A job is blocked behind another one of its key, or because it is throttled; a throttled one is
    never ready, so that it is queued only for later.
    """
    options: dict[str, Any] = {"lane": HOST} if is_throttled else {}
    declare(store, Rule(name=RULE, running=1))
    stranger = _see_a_lapse(store)
    if is_behind:
        return _stand_behind(store, stranger, options)
    if is_dependent:
        return _wait_for_another(store, stranger, state, options)
    options["unique"] = Unique(key=KEY)
    if state is State.RUNNING:
        taken = _start_for(store, event, options)
        pass_time(store, LEASE_SECONDS + 1)
        (seen,) = store.lapsed(limit=10)
        return Subject(taken.job_id, taken.fence, seen)
    # A job that falls due must have been for later; every other event finds it ready.
    is_later = state is State.QUEUED and (event is Event.FALL_DUE or is_throttled)
    standing = bring(store, Place.SCHEDULED if is_later else _PLACES[state], **options)
    fence = standing.claim.fence if standing.claim else stranger.fence
    stale = Lapsed(standing.job_id, fence, stranger.until, LEASE_SECONDS, 0)
    return Subject(standing.job_id, fence, stale)


def drive(store: Store, subject: Subject, event: Event) -> None:
    """Let the event happen, or be refused."""
    _ACTIONS[event](store, subject)


_PLACES = {
    State.QUEUED: Place.READY,
    State.BLOCKED: Place.BLOCKED,
    State.FAILED: Place.FAILED,
    State.SUCCEEDED: Place.SUCCEEDED,
    State.DEAD: Place.DEAD,
    State.CANCELLED: Place.CANCELLED,
}


def _stand_behind(store: Store, stranger: Lapsed, options: Mapping[str, Any]) -> Subject:
    holder = start(store)
    behind = ask(store, REPLACE, **options)
    assert behind.verdict is Verdict.BEHIND
    stale = Lapsed(behind.id, stranger.fence, stranger.until, LEASE_SECONDS, 0)
    return Subject(behind.id, stranger.fence, stale, holder)


def _wait_for_another(
    store: Store, stranger: Lapsed, state: State, options: Mapping[str, Any]
) -> Subject:
    """Let one wait for a job that runs; a cancelled one was so because of one that then died."""
    needed = start_one(store, queue="needed")
    job_id = enqueue_one(
        store, needs=Needs(jobs=(needed.job_id,)), unique=Unique(key=KEY), **options
    )
    if state is State.CANCELLED:
        settle(store, needed, "dead")
        assert store.release_dependents([needed.job_id]).cancelled == (job_id,)
    stale = Lapsed(job_id, stranger.fence, stranger.until, LEASE_SECONDS, 0)
    return Subject(job_id, stranger.fence, stale, needed=needed)


def _see_a_lapse(store: Store) -> Lapsed:
    """Make a lapse that was really seen, of a job that is gone: what it knows is out of date."""
    taken = start_one(store, queue="elsewhere")
    pass_time(store, LEASE_SECONDS + 1)
    (seen,) = store.lapsed(limit=10)
    store.reclaim([(seen, 0.0)])
    store.delete(taken.job_id)
    return seen


def _start_for(store: Store, event: Event, options: Mapping[str, Any]) -> Claim:
    match event:
        case Event.LAPSE_CHARGED:
            return start_suspect(store, max_attempts=3, **options)
        case Event.LAPSE_LAST:
            return start_suspect(store, max_attempts=1, **options)
        case _:
            return start_one(store, **options)


def _finish(outcome: str) -> Callable[[Store, Subject], None]:
    def act(store: Store, subject: Subject) -> None:
        end = Settlement(
            job_id=subject.job_id,
            fence=subject.fence,
            outcome=outcome,
            delay_seconds=LATER_SECONDS if outcome in {"failed", "snoozed"} else None,
            error="Boom" if outcome in {"failed", "dead"} else None,
            is_counted=outcome in {"failed", "dead"},
        )
        store.finish(WORKER, [end])

    return act


def _claim(store: Store, subject: Subject) -> None:
    claim(store)
    claim(store, suspects=True)
    take_lanes(store)
    take_lanes(store, limit=1, stage=SUSPECTS)


def _reclaim(store: Store, subject: Subject) -> None:
    store.reclaim([(subject.lapsed, LATER_SECONDS)])


def _fall_due(store: Store, subject: Subject) -> None:
    pass_time(store, 2 * LATER_SECONDS)
    promote(store)


def _replace(store: Store, subject: Subject) -> None:
    """Let a newer job have its key, which then goes, so that only what it did is left."""
    store.delete(ask(store, REPLACE).id)


def _hand_over(store: Store, subject: Subject) -> None:
    if subject.holder:
        succeed(store, subject.holder)
    hand_over(store)


def _end_needed(outcome: str) -> Callable[[Store, Subject], None]:
    def act(store: Store, subject: Subject) -> None:
        if subject.needed:
            settle(store, subject.needed, outcome)
            store.release_dependents([subject.needed.job_id])

    return act


_ACTIONS: dict[Event, Callable[[Store, Subject], object]] = {
    Event.CLAIM: _claim,
    **{event: _finish(outcome) for event, outcome in OUTCOMES.items()},
    **dict.fromkeys(LAPSES, _reclaim),
    Event.CANCEL: lambda store, subject: store.cancel(subject.job_id, by=None),
    Event.FALL_DUE: _fall_due,
    Event.RETRY: lambda store, subject: store.retry(subject.job_id),
    Event.DELETE: lambda store, subject: store.delete(subject.job_id),
    Event.REPRIORITISE: lambda store, subject: store.reprioritise(subject.job_id, 9),
    Event.REPLACE: _replace,
    Event.HAND_OVER: _hand_over,
    Event.LET_GO: _end_needed("succeeded"),
    Event.FORSAKE: _end_needed("dead"),
}
