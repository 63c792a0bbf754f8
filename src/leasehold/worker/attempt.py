"""One attempt in this process: its lease as this side knows it, and how it is told to stop."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any, Protocol

import msgspec

from leasehold.errors import Interrupted, Stopping
from leasehold.model.outcomes import Outcome
from leasehold.model.values import Claim, Held
from leasehold.task import Task
from leasehold.worker.sealing import AttemptSeal

NOT_STARTED = float("inf")
LINE_SECONDS = 1.0


class Interrupter(Protocol):
    """What runs handlers and can stop one."""

    def interrupt(self, attempt: Attempt, reason: type[Interrupted]) -> None:
        """Make the handler end, as far as its kind allows. Safe when it has just ended."""


class Attempt(msgspec.Struct, eq=False):
    """Mutable, owned by the book; each field is written by one thread at a time.

    A struct because one is made for each job; two are the same only if they are one.
    """

    claim: Claim
    task: Task[..., Any]
    claimed_at: float
    # Counted from before the claim was sent, so it ends no later than the database's lease.
    expires_at: float
    started_at: float = NOT_STARTED
    deadline: float = NOT_STARTED
    runner: Interrupter | None = None  # set when it starts
    handle: Any = None  # the runner's own
    interruption: type[Interrupted] | None = None
    interrupted_at: float = NOT_STARTED
    is_settled: bool = False  # by the handler's own transaction
    is_abandoned: bool = False
    is_over: bool = False
    result: Any = None
    following: Attempt | None = None  # runs after it, in the same slot of their throttle …
    has_slot: bool = True  # … which the last one has
    verdict: Outcome | None = None  # what becomes of one that can't start
    has_progress: bool = False  # told the saver of some, to be written before its end
    spent: float | None = None  # of its throttle's rate, where the handler said so
    observed: Any = None  # what observers see of it, where there are any
    seal: AttemptSeal | None = None  # where what it leaves is to be encrypted

    def held(self) -> Held:
        claim = self.claim
        return Held(claim.job_id, claim.fence, claim.lease_seconds)

    def is_stale(self, now: float) -> bool:
        """Whether it has waited for a third of its lease without starting."""
        waits = self.started_at == NOT_STARTED and not self.is_over
        return waits and now - self.claimed_at > self.claim.lease_seconds / 3

    def is_in_the_way(self, now: float) -> bool:
        """Whether it runs for longer than jobs do that others are to wait behind."""
        return self.following is not None and now - self.started_at > LINE_SECONDS

    def stop_line(self) -> None:
        """Let none of those start that stand behind it: they are handed back in their turn."""
        following = self.following
        while following is not None:
            following.ask(Stopping)
            following = following.following

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

    def ask(self, reason: type[Interrupted]) -> None:
        """Let the handler see that it should end, and leave it to it; `insist` later."""
        if self.interruption is None and not self.is_over:
            self.interruption = reason

    def insist(self, now: float) -> None:
        """Interrupt a handler that was only asked before."""
        if self.interruption is None or self.interrupted_at != NOT_STARTED or self.is_over:
            return
        self.interrupted_at = now
        if self.runner is not None:
            self.runner.interrupt(self, self.interruption)


def line_up(attempts: Sequence[Attempt]) -> list[Attempt]:
    """Put each behind the one that it follows; returns those that may start at once."""
    heads = [each for each in attempts if each.claim.behind is None]
    if len(heads) == len(attempts):
        return heads
    known = {each.claim.job_id.int: each for each in attempts}  # a number hashes faster than an id
    for each in attempts:
        if each.claim.behind is not None:
            before = known[each.claim.behind.int]
            before.following, before.has_slot = each, False
    return heads


def with_following(attempts: Iterable[Attempt]) -> list[Attempt]:
    """Name these and all that stand behind them, which nobody will start then."""
    found = []
    for attempt in attempts:
        each: Attempt | None = attempt
        while each is not None:
            found.append(each)
            each.following, each = None, each.following
    return found


def attempt_of(claim: Claim, task: Task[..., Any], asked_at: float) -> Attempt:
    """Make the attempt for a claim that was asked for at that moment."""
    return Attempt(claim, task, asked_at, asked_at + claim.lease_seconds)
