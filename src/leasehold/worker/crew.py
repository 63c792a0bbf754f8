"""The threads of one worker between its start and its stop."""

from __future__ import annotations

import logging
import time
from typing import TYPE_CHECKING, TypedDict

from leasehold.errors import LeaseholdError, Stopping
from leasehold.model.outcomes import Released
from leasehold.upkeep.retention import Retention
from leasehold.worker.book import Book
from leasehold.worker.claimer import Claimer
from leasehold.worker.conclusion import Conclusion
from leasehold.worker.finisher import Finisher
from leasehold.worker.follower import Follower
from leasehold.worker.loop_runner import LoopRunner
from leasehold.worker.renewer import Renewer
from leasehold.worker.report import Tally
from leasehold.worker.runners import Runners
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
    from leasehold.worker.settings import Settings

_LOOK_SECONDS = 0.02
_logger = logging.getLogger("leasehold.worker")


class _Parts(TypedDict):
    book: Book
    conclusion: Conclusion
    store: Store
    worker: WorkerId
    slots: int
    saver: Saver


class Crew:
    """Builds the parts, starts them, and ends them in the order that loses nothing."""

    def __init__(
        self,
        store: Store,
        worker: WorkerId,
        registry: Registry,
        settings: Settings,
        *,
        loop: asyncio.AbstractEventLoop | None,
        on_empty: Callable[[], None] | None,
        on_abandoned: Callable[[Attempt], None],
        hints: Hints,
    ) -> None:
        self._store = store
        self._worker = worker
        self.book = Book()
        self.tally = Tally()
        self.is_hurried = False
        self._follower = Follower(store)
        self._saver = Saver(store, worker)
        self._finisher = Finisher(
            store.dedicated(),
            worker,
            self.book,
            self.tally,
            listener=self,
            hints=hints,
            saver=self._saver,
        )
        conclusion = Conclusion(self.book, self._finisher)
        self._conclusion = conclusion
        parts: _Parts = {
            "book": self.book,
            "conclusion": conclusion,
            "store": store,
            "worker": worker,
            "slots": settings.slots,
            "saver": self._saver,
        }
        self.runners = Runners(LoopRunner(**parts, loop=loop), ThreadRunner(**parts))
        self._retention = Retention(
            store, worker, clock=time.monotonic, is_busy=lambda: not self.book.is_empty
        )
        self._claimer = Claimer(
            store=store.dedicated(),
            worker=worker,
            registry=registry,
            settings=settings,
            book=self.book,
            runners=self.runners,
            conclusion=conclusion,
            retention=self._retention,
            follower=self._follower,
            on_empty=on_empty,
        )
        look_seconds = min(settings.poll_seconds, settings.shortest_lease_seconds / 12)
        self._renewer = Renewer(store.dedicated(), worker, self.book, look_seconds)
        self._watch = Watch(self.book, conclusion, on_abandoned)

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

    def follow(self, ended: Sequence[JobId]) -> None:
        self._follower.put(ended)

    def expect(self, delay_seconds: float) -> None:
        self._claimer.expect(delay_seconds)

    def stop(self, grace_seconds: float) -> None:
        """End within the grace: let jobs end, hand the rest back uncharged, renew until then."""
        deadline = time.monotonic() + grace_seconds
        margin = min(5.0, grace_seconds / 4)
        running = self.book.running_count
        _logger.info("stopping", extra={"grace_seconds": grace_seconds, "running": running})
        self._claimer.stop(max(1.0, margin))
        self._retention.stop(min(1.0, margin))
        self._hand_back(self.runners.recall())
        self._wait_for_running(deadline - margin)
        self._interrupt_running()
        self._wait_for_running(deadline - margin / 2)
        self._watch.hurry()
        self._wait_for_running(deadline)
        if not self._finisher.stop(max(1.0, deadline - time.monotonic())):
            _logger.error("left unsettled", extra={"count": len(self.book.held())})
        self._saver.stop(1.0)
        self._follower.stop(max(1.0, min(margin, deadline - time.monotonic())))
        self._renewer.stop(1.0)
        self._watch.stop(1.0)
        self.runners.stop(min(1.0, margin))
        self._say_farewell()

    def _hand_back(self, attempts: list[Attempt]) -> None:
        for attempt in attempts:
            self._conclusion.outcome(attempt, Released())

    def _wait_for_running(self, until: float) -> None:
        while self.book.running_count and time.monotonic() < until and not self.is_hurried:
            time.sleep(_LOOK_SECONDS)

    def _interrupt_running(self) -> None:
        # A second signal shortens the grace, not the time that handlers get to clean up.
        self.is_hurried = False
        now = time.monotonic()
        for attempt in self.book.running():
            attempt.interrupt(Stopping, now)

    def _say_farewell(self) -> None:
        try:
            self._store.farewell(self._worker)
        except LeaseholdError as error:
            _logger.warning("farewell failed", extra={"error": str(error)})
