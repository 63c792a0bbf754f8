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
    LET_GO = "let_go"  # the jobs that it waited for have ended as it needs
    FORSAKE = "forsake"  # … and never can


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
    (State.BLOCKED, Event.LET_GO): State.QUEUED,
    (State.BLOCKED, Event.FORSAKE): State.CANCELLED,
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
LANDS = frozenset({Event.RELEASE, Event.FALL_DUE, Event.RETRY, Event.HAND_OVER, Event.LET_GO})


def after(
    state: State,
    event: Event,
    *,
    cancel_requested: bool = False,
    failures: int = 0,
    is_throttled: bool = False,
    is_behind: bool = False,
    is_dependent: bool = False,
) -> State | Gone | None:
    """Look the event up; None means that the store refuses it.

    A job is blocked behind another one of its key, or as a dependent of others: they must let it
    go before it can be claimed; or else in its lane. A dependent that never ran waits for them
    again when it is retried.
    """
    if not _can_happen(event, is_behind=is_behind, is_dependent=is_dependent):
        return None
    following = TRANSITIONS.get((state, event))
    if following is not None and cancel_requested and event in ENDINGS:
        return State.CANCELLED
    if following is State.QUEUED and is_dependent and event is Event.RETRY:
        return State.BLOCKED
    if following is State.QUEUED and is_throttled and event in LANDS:
        return State.BLOCKED
    if following is State.QUEUED and failures > 0 and event in WAITS:
        return State.FAILED
    return following


def _can_happen(event: Event, *, is_behind: bool, is_dependent: bool) -> bool:
    match event:
        case Event.CLAIM:
            return not is_behind and not is_dependent
        case Event.HAND_OVER:
            return is_behind
        case Event.LET_GO | Event.FORSAKE:
            return is_dependent
        case _:
            return True
