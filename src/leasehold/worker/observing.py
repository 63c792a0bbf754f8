"""Lets others see what a worker does, without harm to it: metrics, traces, error reports.

The parts of a worker have an `Observing` or None; with None nothing is asked and nothing is paid.
An observer that raises is switched off, once and for all: the jobs go on without it.
"""

from __future__ import annotations

import logging
from typing import TYPE_CHECKING, Any

from leasehold.errors import BadOption
from leasehold.model.envelopes import shown_text
from leasehold.model.outcomes import Cancelled, Died, Failed, Outcome, Released, Snoozed, Succeeded
from leasehold.store.base import Answer
from leasehold.worker.attempt import NOT_STARTED

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Sequence
    from contextlib import AbstractContextManager

    from leasehold.model.ids import JobId
    from leasehold.model.values import Claim, Connections, Settlement
    from leasehold.worker.attempt import Attempt
    from leasehold.worker.report import Report

LOST = "lost"
_NAMES: dict[type[Outcome], str] = {
    Succeeded: "succeeded",
    Failed: "failed",
    Died: "dead",
    Cancelled: "cancelled",
    Snoozed: "snoozed",
    Released: "released",
}
_logger = logging.getLogger("leasehold.worker")


class Run:
    """One attempt as observers see it. How it ended is None, or nothing, until it has ended.

    `outcome` is succeeded, failed, snoozed, released, cancelled, dead, or lost when its lease was
    taken away. `exception` is there until `ended` returns; an isolated handler's is its text only.
    """

    __slots__ = ("_attempt", "entered", "error", "exception", "is_lost", "outcome", "seconds")

    def __init__(self, attempt: Attempt) -> None:
        self._attempt = attempt
        self.outcome: str | None = None
        self.error: str | None = None
        self.exception: BaseException | None = None
        self.seconds: float | None = None  # None when the handler never started
        self.is_lost = False
        self.entered: list[tuple[Observer, AbstractContextManager[object]]] = []

    @property
    def claim(self) -> Claim:
        """All that is known of the job, its arguments too: mind where they go."""
        return self._attempt.claim

    @property
    def id(self) -> JobId:
        return self._attempt.claim.job_id

    @property
    def is_encrypted(self) -> bool:
        """Whether what it holds and leaves is encrypted: then `error` is its class only."""
        return self._attempt.seal is not None

    @property
    def kind(self) -> str:
        return self._attempt.claim.kind

    @property
    def queue(self) -> str:
        return self._attempt.claim.queue

    @property
    def attempt(self) -> int:
        return self._attempt.claim.attempt


class Watched:
    """A worker as observers see it; `running` and `connections` are read when asked for."""

    def __init__(
        self,
        *,
        name: str,
        queues: tuple[str, ...],
        slots: int,
        running: Callable[[], int],
        connections: Callable[[], Connections],
    ) -> None:
        self.name = name
        self.queues = queues
        self.slots = slots
        self.running = running
        self.connections = connections


class Observer:
    """Override what you want to see. All of it is called on the worker's own threads: be quick.

    One observer may watch several workers, so it is called from several threads at once.
    """

    def opened(self, worker: Watched) -> None:
        """A worker starts."""

    def closed(self, worker: Watched, report: Report) -> None:
        """It has ended."""

    def claimed(self, count: int, seconds: float) -> None:
        """A claim that took so long has brought so many jobs; one that brought none is not told."""

    def running(self, run: Run) -> AbstractContextManager[object] | None:  # noqa: ARG002
        """Return what surrounds the handler, entered and left where it runs: its thread, its task.

        When it is left, the run has its outcome; the handler's error is not raised through it.
        """
        return None

    def ended(self, run: Run) -> None:
        """The database has taken down how an attempt ended."""

    def ended_together(self, runs: Sequence[Run]) -> None:
        """Some were settled together, perhaps hundreds. Calls `ended` for each."""
        for run in runs:
            self.ended(run)

    def lease_lost(self, run: Run) -> None:
        """Somebody has taken this lease back, or deleted the job; `ended` follows."""

    def abandoned(self, run: Run) -> None:
        """A handler did not end when it was told to, and was left behind."""

    def reclaimed(self, count: int, dead: int) -> None:
        """So many lapsed leases of any worker were taken back; so many of the jobs are dead now."""

    def loop_lagged(self, seconds: float) -> None:
        """The event loop of async handlers came so much too late to a timer; told once a second."""

    def summarised(self) -> None:
        """The worker has summed up in its log: once a minute, and at its end."""


class Observing:
    """Tells observers what happens; those that do not override something are not asked for it."""

    def __init__(self, observers: Iterable[Observer]) -> None:
        self._observers = list(observers)
        self._wanted = {name: self._who_wants(name) for name in _HOOKS}

    def _who_wants(self, name: str) -> list[Observer]:
        return [
            each
            for each in self._observers
            if getattr(type(each), name) is not getattr(Observer, name)
        ]

    def wants(self, name: str) -> bool:
        return len(self._wanted[name]) > 0

    def tell(self, name: str, *args: Any) -> None:
        for observer in self._wanted[name]:
            try:
                getattr(observer, name)(*args)
            except Exception as error:  # noqa: BLE001 - it must not harm the worker
                self._switch_off(observer, error)

    # -- the life of an attempt ------------------------------------------------------------------
    def enter(self, attempt: Attempt) -> None:
        """The handler is about to run, here and now."""
        run = attempt.observed = Run(attempt)
        for observer in self._wanted["running"]:
            try:
                surrounding = observer.running(run)
                if surrounding is not None:
                    surrounding.__enter__()
                    run.entered.append((observer, surrounding))
            except Exception as error:  # noqa: BLE001 - it must not harm the job
                self._switch_off(observer, error)

    def leave(self, attempt: Attempt, outcome: Outcome, error: BaseException | None) -> None:
        """The handler has ended, on the same thread, in the same context; once for each `enter`."""
        run = attempt.observed
        if run is None:
            return
        if run.outcome is None:  # else it was abandoned, and settled, before
            run.outcome, run.exception = _NAMES[type(outcome)], error
            run.error = outcome.error.message if isinstance(outcome, (Failed, Died)) else None
            if attempt.seal is not None and run.error is not None:
                run.error = attempt.seal.class_of(run.error)
        while run.entered:
            observer, surrounding = run.entered.pop()
            try:
                surrounding.__exit__(None, None, None)
            except Exception as broken:  # noqa: BLE001 - it must not harm the job
                self._switch_off(observer, broken)

    def lost(self, attempt: Attempt) -> None:
        """A lease is gone; it may be noticed by the renewal and by the end, and is told once."""
        run = run_of(attempt)
        if not run.is_lost:
            run.is_lost = True
            self.tell("lease_lost", run)

    def settled(self, ended: Iterable[tuple[Attempt, float]]) -> None:
        """The handlers' own transactions have ended these, at these moments."""
        self._end([_ended(run_of(each), "succeeded", _seconds(each, at)) for each, at in ended])

    def finished(self, asked: Sequence[tuple[Attempt, Settlement]], answers: list[Answer]) -> None:
        """The store has answered for these."""
        runs = []
        for (attempt, each), answer in zip(asked, answers, strict=True):
            if answer is Answer.LOST:
                self.lost(attempt)
            outcome = LOST if answer is Answer.LOST else each.outcome
            error = shown_text(each.error)
            runs.append(_ended(run_of(attempt), outcome, each.elapsed_seconds, error))
        self._end(runs)

    def _end(self, runs: Sequence[Run]) -> None:
        for observer in self._wanted["ended_together"] + self._of_each:
            try:
                observer.ended_together(runs)
            except Exception as error:  # noqa: BLE001 - it must not harm the worker
                self._switch_off(observer, error)
        for run in runs:
            run.exception = None  # it holds the handler's frames, and those hold this

    @property
    def _of_each(self) -> list[Observer]:
        together = self._wanted["ended_together"]
        return [each for each in self._wanted["ended"] if each not in together]

    def _switch_off(self, observer: Observer, error: Exception) -> None:
        """Ask this one no more. Another thread may be telling: so no list is changed in place."""
        if observer not in self._observers:
            return
        self._observers = [each for each in self._observers if each is not observer]
        self._wanted = {name: self._who_wants(name) for name in _HOOKS}
        _logger.error(
            "observer switched off",
            exc_info=error,
            extra={"observer": type(observer).__name__, "error": type(error).__name__},
        )


_HOOKS = tuple(name for name in vars(Observer) if not name.startswith("_"))


def observing_of(observers: Sequence[Observer]) -> Observing | None:
    """Check what was given; None when nobody watches."""
    for each in observers:
        if not isinstance(each, Observer):
            raise BadOption(f"observers: {each!r} is not an Observer; make its class one of them")
    return Observing(observers) if observers else None


def run_of(attempt: Attempt) -> Run:
    """Return the view of an attempt, made now if it never started."""
    run: Run | None = attempt.observed
    if run is None:
        run = attempt.observed = Run(attempt)
    return run


def _ended(run: Run, outcome: str, seconds: float | None, error: str | None = None) -> Run:
    run.outcome, run.seconds, run.error = outcome, seconds, error
    return run


def _seconds(attempt: Attempt, ended_at: float) -> float | None:
    return None if attempt.started_at == NOT_STARTED else ended_at - attempt.started_at
