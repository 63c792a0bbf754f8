"""What a job can be, what can happen to it, and what it is then: the one table of transitions."""

from __future__ import annotations

from enum import StrEnum


class State(StrEnum):
    """A job's state as a user sees it. Each is a table the job stands in (see ARCHITECTURE.md)."""

    QUEUED = "queued"
    BLOCKED = "blocked"
    RUNNING = "running"
    FAILED = "failed"
    SUCCEEDED = "succeeded"
    DEAD = "dead"
    CANCELLED = "cancelled"

    @property
    def is_final(self) -> bool:
        """Whether only an operator's retry can change it."""
        return self in FINAL


FINAL = frozenset({State.SUCCEEDED, State.DEAD, State.CANCELLED})


class Event(StrEnum):
    """What can happen to a job, one store operation each."""

    CLAIM = "claim"
    SUCCEED = "succeed"
    FAIL = "fail"
    DIE = "die"
    SNOOZE = "snooze"
    RELEASE = "release"
    LAPSE = "lapse"
    LAPSE_CHARGED = "lapse_charged"
    LAPSE_LAST = "lapse_last"
    CANCEL = "cancel"
    FALL_DUE = "fall_due"
    RETRY = "retry"
    DELETE = "delete"
    REPRIORITISE = "reprioritise"
    REPLACE = "replace"  # a newer job takes its key
    HAND_OVER = "hand_over"  # the job of its key that it stood behind runs no more


class Gone(StrEnum):
    """The end of a job's row: it was deleted."""

    GONE = "gone"


GONE = Gone.GONE

# (state, event) -> state after. A pair that is not here is refused and changes nothing.
TRANSITIONS: dict[tuple[State, Event], State | Gone] = {
    (State.QUEUED, Event.CLAIM): State.RUNNING,
    (State.QUEUED, Event.FALL_DUE): State.QUEUED,
    (State.QUEUED, Event.CANCEL): State.CANCELLED,
    (State.QUEUED, Event.REPRIORITISE): State.QUEUED,
    (State.QUEUED, Event.REPLACE): State.CANCELLED,
    (State.QUEUED, Event.DELETE): GONE,
    (State.BLOCKED, Event.CLAIM): State.RUNNING,
    (State.BLOCKED, Event.HAND_OVER): State.QUEUED,
    (State.BLOCKED, Event.CANCEL): State.CANCELLED,
    (State.BLOCKED, Event.REPRIORITISE): State.BLOCKED,
    (State.BLOCKED, Event.REPLACE): State.CANCELLED,
    (State.BLOCKED, Event.DELETE): GONE,
    (State.RUNNING, Event.SUCCEED): State.SUCCEEDED,
    (State.RUNNING, Event.FAIL): State.FAILED,
    (State.RUNNING, Event.DIE): State.DEAD,
    (State.RUNNING, Event.SNOOZE): State.QUEUED,
    (State.RUNNING, Event.RELEASE): State.QUEUED,
    (State.RUNNING, Event.LAPSE): State.QUEUED,
    (State.RUNNING, Event.LAPSE_CHARGED): State.FAILED,
    (State.RUNNING, Event.LAPSE_LAST): State.DEAD,
    (State.RUNNING, Event.CANCEL): State.RUNNING,
    (State.FAILED, Event.FALL_DUE): State.QUEUED,
    (State.FAILED, Event.CANCEL): State.CANCELLED,
    (State.FAILED, Event.RETRY): State.QUEUED,
    (State.FAILED, Event.REPRIORITISE): State.FAILED,
    (State.FAILED, Event.REPLACE): State.CANCELLED,
    (State.FAILED, Event.DELETE): GONE,
    (State.SUCCEEDED, Event.DELETE): GONE,
    (State.DEAD, Event.RETRY): State.QUEUED,
    (State.DEAD, Event.DELETE): GONE,
    (State.CANCELLED, Event.RETRY): State.QUEUED,
    (State.CANCELLED, Event.DELETE): GONE,
}

# A running job that was cancelled is marked; whatever ends its attempt then, it ends cancelled.
ENDINGS = frozenset(
    {
        Event.SUCCEED,
        Event.FAIL,
        Event.DIE,
        Event.SNOOZE,
        Event.RELEASE,
        Event.LAPSE,
        Event.LAPSE_CHARGED,
        Event.LAPSE_LAST,
    },
)


# A job that is put back to wait for a time shows as failed if it has failures to its name.
WAITS = frozenset({Event.SNOOZE, Event.LAPSE})

# A job that comes back due, and has a throttle, waits for its lane: blocked instead of queued.
LANDS = frozenset({Event.RELEASE, Event.FALL_DUE, Event.RETRY, Event.HAND_OVER})


def after(
    state: State,
    event: Event,
    *,
    cancel_requested: bool = False,
    failures: int = 0,
    is_throttled: bool = False,
    is_behind: bool = False,
) -> State | Gone | None:
    """Look the event up; None means that the store refuses it.

    A job is blocked behind another one of its key, which must let it go before it can be claimed,
    or else in its lane.
    """
    if event is (Event.CLAIM if is_behind else Event.HAND_OVER):
        return None
    following = TRANSITIONS.get((state, event))
    if following is not None and cancel_requested and event in ENDINGS:
        return State.CANCELLED
    if following is State.QUEUED and is_throttled and event in LANDS:
        return State.BLOCKED
    if following is State.QUEUED and failures > 0 and event in WAITS:
        return State.FAILED
    return following
