"""One attempt in this process: its lease as this side knows it, and how it is told to stop."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Protocol

from leasehold.model.values import Held

if TYPE_CHECKING:
    from leasehold.errors import Interrupted
    from leasehold.model.values import Claim
    from leasehold.task import Task

NOT_STARTED = float("inf")


class Interrupter(Protocol):
    """What runs handlers and can stop one."""

    def interrupt(self, attempt: Attempt, reason: type[Interrupted]) -> None:
        """Make the handler end, as far as its kind allows. Safe when it has just ended."""


class Attempt:
    """Mutable, owned by the book; each field is written by one thread at a time."""

    __slots__ = (
        "claim",
        "claimed_at",
        "deadline",
        "expires_at",
        "handle",
        "interrupted_at",
        "interruption",
        "is_abandoned",
        "is_over",
        "is_settled",
        "result",
        "runner",
        "started_at",
        "task",
    )

    def __init__(self, claim: Claim, task: Task[..., Any], claimed_at: float) -> None:
        self.claim = claim
        self.task = task
        self.claimed_at = claimed_at
        # Counted from before the claim was sent, so it ends no later than the database's lease.
        self.expires_at = claimed_at + claim.lease_seconds
        self.started_at = NOT_STARTED
        self.deadline = NOT_STARTED
        self.runner: Interrupter | None = None  # set when it starts
        self.handle: Any = None  # the runner's own
        self.interruption: type[Interrupted] | None = None
        self.interrupted_at = NOT_STARTED
        self.is_settled = False  # by the handler's own transaction
        self.is_abandoned = False
        self.is_over = False
        self.result: Any = None

    def held(self) -> Held:
        claim = self.claim
        return Held(claim.job_id, claim.fence, claim.lease_seconds)

    def is_stale(self, now: float) -> bool:
        """Whether it has waited for a third of its lease without starting."""
        waits = self.started_at == NOT_STARTED and not self.is_over
        return waits and now - self.claimed_at > self.claim.lease_seconds / 3

    def begin(self, now: float) -> None:
        self.started_at = now
        self.deadline = now + self.claim.timeout_seconds

    def refuse_if_interrupted(self) -> None:
        """Raise what it was told while it waited: such an attempt must not start."""
        if self.interruption is not None:
            raise self.interruption

    def interrupt(self, reason: type[Interrupted], now: float) -> bool:
        """Tell the handler to stop; the first reason stands. False when it was told before."""
        if self.interruption is not None or self.is_over:
            return False
        self.interruption = reason
        self.interrupted_at = now
        if self.runner is not None:
            self.runner.interrupt(self, reason)
        return True
