"""The threads of one worker between its start and its stop."""

from __future__ import annotations

import logging
import threading
import time
from typing import TYPE_CHECKING, TypedDict

from leasehold.errors import LeaseholdError, Stopping
from leasehold.model.outcomes import Released
from leasehold.upkeep.reencryption import Reencryption
from leasehold.upkeep.retention import Retention
from leasehold.upkeep.statistics import Sampler
from leasehold.worker.attempt import NOT_STARTED
from leasehold.worker.book import Book
from leasehold.worker.claimer import Claimer
from leasehold.worker.conclusion import Conclusion
from leasehold.worker.counting import Counts
from leasehold.worker.finisher import Finisher
from leasehold.worker.follower import Follower
from leasehold.worker.intake import Intake
from leasehold.worker.journal import Journal
from leasehold.worker.loop_runner import LoopRunner
from leasehold.worker.observing import run_of
from leasehold.worker.renewer import Renewer
from leasehold.worker.report import Tally
from leasehold.worker.runners import Runners, runs_on_loop
from leasehold.worker.saver import Saver
from leasehold.worker.thread_runner import ThreadRunner
from leasehold.worker.watch import Watch

if TYPE_CHECKING:
    import asyncio
    from collections.abc import Callable, Sequence

    from leasehold.model.ids import JobId, WorkerId
    from leasehold.registry import Registry
    from leasehold.store.base import Store
    from leasehold.worker.attempt import Attempt
    from leasehold.worker.finisher import Hints
    from leasehold.worker.observing import Observing
    from leasehold.worker.plan import Plan
    from leasehold.worker.report import Reason
    from leasehold.worker.settings import Settings

_LOOK_SECONDS = 0.02
_LEAST_SECONDS = 0.02
_LAST_SECONDS = 0.1
_logger = logging.getLogger("leasehold.worker")


class _Parts(TypedDict):
    book: Book
    conclusion: Conclusion
    store: Store
    worker: WorkerId
    slots: int
    saver: Saver
    observing: Observing | None


class Crew:
    """Builds the parts, starts them, and ends them in the order that loses nothing."""

    def __init__(
        self,
        store: Store,
        worker: WorkerId,
        name: str,
        registry: Registry,
        settings: Settings,
        *,
        loop: asyncio.AbstractEventLoop | None,
        plan: Plan,
        on_end: Callable[[Reason], None],
        on_abandoned: Callable[[Attempt], None],
        hints: Hints,
        observing: Observing | None = None,
    ) -> None:
        self._store = store
        self._worker = worker
        self.book = Book()
        self.tally = Tally()
        self.is_hurried = False
        self._counts = Counts()
        self._observing = observing
        self._journal = Journal(
            name, self.tally, shows_arguments=settings.logs_arguments, observing=observing
        )
        self._follower = Follower(store)
        self._saver = Saver(store, worker)
        self._finisher = Finisher(
            store.dedicated(),
            worker,
            self.book,
            self.tally,
            listener=self,
            hints=hints,
            durations=plan.durations,
            counts=self._counts,
            saver=self._saver,
            journal=self._journal,
            observing=observing,
        )
        conclusion = Conclusion(self.book, self._finisher, observing)
        self._conclusion = conclusion
        parts: _Parts = {
            "book": self.book,
            "conclusion": conclusion,
            "store": store,
            "worker": worker,
            "slots": settings.slots,
            "saver": self._saver,
            "observing": observing,
        }
        self.runners = Runners(LoopRunner(**parts, loop=loop), ThreadRunner(**parts))
        conclusion.follow = self.runners.follow
        self.intake = Intake(
            store=store,
            worker=worker,
            registry=registry,
            book=self.book,
            runners=self.runners,
            plan=plan,
            journal=self._journal,
            observing=observing,
        )
        self._retention = Retention(
            store, worker, clock=time.monotonic, is_busy=lambda: not self.book.is_empty
        )
        self._reencryption = Reencryption(
            store, worker, clock=time.monotonic, is_busy=lambda: not self.book.is_empty
        )
        self._sampler = Sampler(store, worker, clock=time.monotonic)
        self._claimer = Claimer(
            store=store.dedicated(),
            worker=worker,
            registry=registry,
            settings=settings,
            book=self.book,
            runners=self.runners,
            conclusion=conclusion,
            retention=self._retention,
            reencryption=self._reencryption,
            counts=self._counts,
            sampler=self._sampler,
            follower=self._follower,
            plan=plan,
            on_end=on_end,
            intake=self.intake,
            journal=self._journal,
            observing=observing,
        )
        look_seconds = min(settings.poll_seconds, settings.shortest_lease_seconds / 12)
        self._renewer = Renewer(store.dedicated(), worker, self.book, look_seconds, observing)
        self._watch = Watch(self.book, conclusion, self._count_abandoned)
        self._on_abandoned = on_abandoned
        self._plan = plan

    def start(self) -> None:
        self._finisher.start()
        self._renewer.start()
        self._watch.start()
        self.runners.start()
        self._claimer.start()

    def poke(self) -> None:
        self._claimer.poke()

    def free(self, places: Sequence[str]) -> None:
        self._claimer.free(places)

    @property
    def has_dependents(self) -> bool:
        return self._claimer.has_dependents

    def follow(self, ended: Sequence[JobId]) -> None:
        self._follower.put(ended)

    def expect(self, delay_seconds: float) -> None:
        self._claimer.expect(delay_seconds)

    def stop(self, grace_seconds: float) -> None:
        """End within the grace: let jobs end, hand the rest back uncharged, renew until then."""
        deadline = time.monotonic() + grace_seconds
        margin = min(5.0, grace_seconds / 4)
        self._begin_stop(grace_seconds, max(1.0, margin))
        self._wait_for_jobs(deadline - margin)
        self._interrupt_jobs()
        self._wait_for_jobs(deadline - margin / 2)
        self._watch.hurry()
        self._wait_for_jobs(deadline)
        self._settle(max(1.0, deadline - time.monotonic()))
        self._close(lambda: 1.0, min(1.0, margin))
        self._say_farewell()

    def stop_in_time(self, deadline: float, *, lets_jobs_end: bool) -> None:
        """Be gone by then, whatever the handlers and the store do.

        Jobs may end until near the deadline, or are asked to hand back at once. Those that do not
        are interrupted, then abandoned, each for its part of the time that is left.
        """
        reserve = max(0.0, deadline - time.monotonic())
        deadline -= min(_LAST_SECONDS, reserve / 8)  # a busy machine is slow to wake us
        self._begin_stop(reserve, reserve / 4)
        if lets_jobs_end:
            reserve = min(reserve, 5.0)
            self._wait_for_jobs(deadline - reserve)
        self._ask_jobs()
        self._wait_for_jobs(deadline - reserve / 2)
        self._interrupt_jobs()
        self._wait_for_jobs(deadline - reserve / 3)
        self._watch.hurry()
        self._watch.step(time.monotonic())  # its own next look may be too late
        self._hand_back([each for each in self._open_jobs() if each.started_at == NOT_STARTED])
        self._wait_for_jobs(deadline - reserve / 4)

        def left(part: float) -> float:
            return max(_LEAST_SECONDS, (deadline - time.monotonic()) * part)

        self._settle(left(0.75), may_linger=True)
        self._close(lambda: left(0.25), left(0.25))
        # It may wait for a lock: then it is left to itself.
        farewell = threading.Thread(target=self._say_farewell, name="leasehold-end", daemon=True)
        farewell.start()
        farewell.join(left(1.0))

    def _begin_stop(self, grace_seconds: float, claimer_seconds: float) -> None:
        running = self.book.running_count
        _logger.info("stopping", extra={"grace_seconds": grace_seconds, "running": running})
        self._claimer.stop(claimer_seconds)
        self._retention.stop(min(1.0, claimer_seconds))
        self._reencryption.stop(min(1.0, claimer_seconds))
        self._sampler.stop(0.0)  # it may be counting: that is waited for at the end
        self._hand_back(self.runners.recall())
        for attempt in self._open_jobs():
            if attempt.claim.behind is not None and attempt.started_at == NOT_STARTED:
                attempt.ask(Stopping)  # when the one before has ended: till then it has their slot

    def _settle(self, seconds: float, *, may_linger: bool = False) -> None:
        if not self._finisher.stop(seconds, may_linger=may_linger):
            _logger.error("left unsettled", extra={"count": len(self.book.held())})

    def _close(self, a_while: Callable[[], float], runners_seconds: float) -> None:
        """End the threads, each within its time."""
        self._sampler.stop(a_while())
        self._saver.stop(a_while())
        self._follower.stop(a_while())
        self._renewer.stop(a_while())
        self._watch.stop(a_while())
        self.runners.stop(runners_seconds)
        self._journal.summarise()

    def _hand_back(self, attempts: list[Attempt]) -> None:
        for attempt in attempts:
            self._conclusion.outcome(attempt, Released())

    def _wait_for_jobs(self, until: float) -> None:
        while self._open_jobs() and time.monotonic() < until and not self.is_hurried:
            time.sleep(_LOOK_SECONDS)

    def _open_jobs(self) -> list[Attempt]:
        """Those that run, and those that are just about to: a child may take a while to start."""
        return [attempt for attempt in self.book.held() if not attempt.is_over]

    def _interrupt_jobs(self) -> None:
        # A second signal shortens the grace, not the time that handlers get to clean up.
        self.is_hurried = False
        now = time.monotonic()
        for attempt in self._open_jobs():
            attempt.interrupt(Stopping, now)
            attempt.insist(now)

    def _ask_jobs(self) -> None:
        """Ask all to hand back: async handlers are cancelled, blocking ones see it themselves."""
        now = time.monotonic()
        for attempt in self._open_jobs():
            if runs_on_loop(attempt.task):
                attempt.interrupt(Stopping, now)
            else:
                attempt.ask(Stopping)

    def _count_abandoned(self, attempt: Attempt) -> None:
        self.tally.add("abandoned")
        if self._observing is not None:
            self._observing.tell("abandoned", run_of(attempt))
        self._on_abandoned(attempt)

    def _say_farewell(self) -> None:
        try:
            self._store.farewell(self._worker)
            if news := self._plan.durations.take_news():
                self._store.note_durations(news)
            self._counts.flush(self._store)
        except LeaseholdError as error:
            _logger.warning("farewell failed", extra={"error": str(error)})
