"""A job as the model has it: where it stands, its lease if it runs, and its history."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from leasehold.model.lanes import BEHIND, SUSPECTS, USUAL, Place, parked
from leasehold.model.states import State

if TYPE_CHECKING:
    from leasehold.model.ids import Fence, WorkerId
    from leasehold.model.values import NewJob


@dataclass(frozen=True, slots=True)
class Lease:
    fence: Fence
    worker: WorkerId
    until: float
    deadline: float
    lease_seconds: float
    is_cancelled: bool = False
    by: str | None = None


@dataclass(frozen=True, slots=True)
class End:
    """One row of a job's history."""

    attempt: int
    outcome: str
    fence: Fence | None
    worker: WorkerId | None
    at: float = 0.0


@dataclass(frozen=True, slots=True)
class Saved:
    """What a job has saved last; the cursor is JSON."""

    cursor: str | None = None
    done: float | None = None
    total: float | None = None


@dataclass(slots=True)
class Record:
    """A job: what was asked, the place it stands in ("" when it ended), and its history.

    In "waiting", and only there, it has a stage: who may take it out of its lane.
    """

    asked: NewJob
    queue: str
    max_attempts: int
    timeout_seconds: float
    asked_priority: int
    created: float
    place: str
    priority: int
    run_at: float | None = None
    stage: str = USUAL
    attempt: int = 0
    failures: int = 0
    lapses: int = 0
    lease: Lease | None = None
    error: str | None = None
    ends: list[End] = field(default_factory=list)
    saved: Saved = Saved()
    steps: dict[str, str] = field(default_factory=dict)  # what it remembers, as JSON

    @property
    def state(self) -> State:
        match self.place:
            case "lease":
                return State.RUNNING
            case "scheduled" if self.failures > 0:
                return State.FAILED
            case "waiting":
                return State.BLOCKED
            case "":
                return State(self.ends[-1].outcome)
            case _:
                return State.QUEUED

    @property
    def is_aside(self) -> bool:
        """Whether it waits in its lane for a worker that knows its kind."""
        return self.place == "waiting" and self.stage == parked(self.asked.kind)

    @property
    def is_behind(self) -> bool:
        """Whether it waits until another one of its key, or those it needs, have ended."""
        return self.place == "waiting" and self.stage == BEHIND

    @property
    def lane(self) -> Place:
        return Place(self.queue, self.stage, self.priority, "", self.asked.lane or "")

    def stand_behind(self) -> None:
        """Let it wait for others, where nobody claims."""
        self.place, self.stage = "waiting", BEHIND

    def let_go(self, now: float) -> None:
        """Put it where it would be if it had never stood behind another one."""
        if self.run_at is not None and self.run_at > now:
            self.place, self.stage = "scheduled", USUAL
        else:
            self.land()

    def land(self) -> None:
        """Put it where it may be claimed: behind its throttle, if it has one."""
        self.place = "ready" if self.asked.lane is None else "waiting"
        self.stage = SUSPECTS if self.lapses > 0 else USUAL
        self.run_at = None
