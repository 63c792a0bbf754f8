"""Settles ended attempts in batches: at once when idle, by the hundred under load."""

from __future__ import annotations

import logging
import random
import threading
import time
from collections import Counter, deque
from typing import TYPE_CHECKING, Protocol

from leasehold.errors import StoreBusy, StoreFull, StoreUnavailable
from leasehold.model.scrubbing import scrub
from leasehold.store.base import Answer
from leasehold.worker.settling import rejected, settlement

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from leasehold.model.ids import JobId, WorkerId
    from leasehold.model.outcomes import Outcome
    from leasehold.model.values import Settlement
    from leasehold.store.base import Store
    from leasehold.worker.attempt import Attempt
    from leasehold.worker.book import Book
    from leasehold.worker.counting import Counts
    from leasehold.worker.durations import Durations
    from leasehold.worker.journal import Journal
    from leasehold.worker.observing import Observing
    from leasehold.worker.report import Tally
    from leasehold.worker.saver import Saver

BATCH = 2_000
LINGER_SECONDS = 10.0
_LONGEST_PAUSE_SECONDS = 2.0
_PASSING = (StoreUnavailable, StoreBusy, StoreFull)
_COMES_BACK = frozenset({"failed", "snoozed"})
_logger = logging.getLogger("leasehold.worker")


class Listener(Protocol):
    """Who wants to know what the finisher has done: the claimer and the follower."""

    def poke(self) -> None: ...

    def free(self, places: Sequence[str]) -> None: ...

    @property
    def has_dependents(self) -> bool: ...

    def follow(self, ended: Sequence[JobId]) -> None: ...

    def expect(self, delay_seconds: float) -> None: ...


class Hints(Protocol):
    """Who waits for jobs to end, in this process: the client's waits."""

    @property
    def is_waiting(self) -> bool: ...

    def hint(self, job_ids: Iterable[JobId]) -> None: ...


class Finisher:
    """Own thread, own connection. What can't be written now is kept and tried again."""

    def __init__(
        self,
        store: Store,
        worker: WorkerId,
        book: Book,
        tally: Tally,
        *,
        listener: Listener,
        hints: Hints,
        durations: Durations,
        counts: Counts,
        saver: Saver,
        journal: Journal,
        observing: Observing | None = None,
    ) -> None:
        self._store = store
        self._worker = worker
        self._book = book
        self._tally = tally
        self._listener = listener
        self._hints = hints
        self._durations = durations
        self._counts = counts
        self._saver = saver
        self._journal = journal
        self._observing = observing
        self._ended: deque[tuple[Attempt, Outcome, float]] = deque()
        self._wanted = threading.Event()
        self._is_waiting = False
        self._is_stopping = False
        self._give_up = threading.Event()
        self._gives_up_at = float("inf")
        self._thread = threading.Thread(target=self._serve, name="leasehold-finish", daemon=True)

    def start(self) -> None:
        self._thread.start()

    def put(self, attempt: Attempt, outcome: Outcome) -> None:
        """Settle an attempt soon. Called once for each."""
        self._ended.append((attempt, outcome, time.monotonic()))
        if self._is_waiting:
            self._wanted.set()

    def stop(self, timeout_seconds: float, *, may_linger: bool = False) -> bool:
        """Write what is left, for as long as that may take; False when something was not.

        What was not may still be tried for a while by the thread, which is left to itself.
        """
        self._is_stopping = True
        self._wanted.set()
        self._thread.join(timeout_seconds)
        if may_linger:
            self._gives_up_at = time.monotonic() + LINGER_SECONDS
        else:
            self._give_up.set()
            self._thread.join(1.0)
        return self._book.is_empty

    def _serve(self) -> None:
        while True:
            if not self._ended:
                if self._is_stopping:
                    break
                self._wait()
            batch = [self._ended.popleft() for _ in range(min(BATCH, len(self._ended)))]
            try:
                self._settle(batch)
            except Exception:  # a service loop: it must go on
                _logger.exception("finish failed", extra={"count": len(batch)})
                self._book.strike(attempt for attempt, _, _ in batch)  # their leases lapse
        self._store.close()

    def _wait(self) -> None:
        self._wanted.clear()
        self._is_waiting = True
        if not self._ended and not self._is_stopping:
            self._wanted.wait()
        self._is_waiting = False

    def _settle(self, batch: list[tuple[Attempt, Outcome, float]]) -> None:
        # The handler's own transaction has settled these.
        settled = [(attempt, ended_at) for attempt, _, ended_at in batch if attempt.is_settled]
        if settled:
            self._tally.add("succeeded", len(settled))
            self._counts.note_settled(settled)
            self._strike([attempt for attempt, _ in settled])
            if self._observing is not None:
                self._observing.settled(settled)
        asked = [
            (attempt, settlement(attempt, outcome, ended_at))
            for attempt, outcome, ended_at in batch
            if not attempt.is_settled
        ]
        if asked:
            self._finish(asked)
        self._listener.poke()

    def _finish(
        self, asked: list[tuple[Attempt, Settlement]], *, is_last_try: bool = False
    ) -> None:
        try:
            answers = self._persist(asked)
        except Exception as error:  # noqa: BLE001 - whatever one job's end is, the others' must go on
            self._divide(asked, error, is_last_try=is_last_try)
            return
        if answers is not None:
            self._note(asked, answers)

    def _persist(self, asked: list[tuple[Attempt, Settlement]]) -> list[Answer] | None:
        """Try until the store has answered; None when the worker had to give up."""
        pause = 0.05
        while not self._give_up.is_set() and time.monotonic() < self._gives_up_at:
            try:
                self._saver.flush(attempt for attempt, _ in asked)  # while the leases stand
                return self._store.finish(self._worker, [each for _, each in asked])
            except _PASSING as error:
                extra = {"error": str(error), "count": len(asked)}
                _logger.warning("finish postponed", extra=extra)
                self._give_up.wait(random.uniform(0, pause))
                pause = min(_LONGEST_PAUSE_SECONDS, pause * 2)
        return None

    def _divide(
        self, asked: list[tuple[Attempt, Settlement]], error: Exception, *, is_last_try: bool
    ) -> None:
        """One settlement spoils the batch: halve it until the guilty one is alone."""
        if len(asked) > 1:
            middle = len(asked) // 2
            self._finish(asked[:middle])
            self._finish(asked[middle:])
            return
        attempt, refused = asked[0]
        said = scrub(str(error).partition("\n")[0], attempt.claim.args)  # no row of the database's
        _logger.error("settlement refused", extra={"job": str(refused.job_id), "error": said})
        if is_last_try:
            self._book.strike([attempt])  # its lease lapses
        else:
            self._finish([(attempt, rejected(attempt, error))], is_last_try=True)

    def _note(self, asked: list[tuple[Attempt, Settlement]], answers: list[Answer]) -> None:
        counts = Counter([each.outcome for _, each in asked])
        is_eventful = len(counts) > 1 or "succeeded" not in counts or Answer.LOST in answers
        if is_eventful or self._journal.is_close:
            for (attempt, each), answer in zip(asked, answers, strict=True):
                if answer is Answer.LOST:
                    counts.update({each.outcome: -1, "lost": 1})
                    _logger.warning("lease lost", extra={"job": str(each.job_id)})
                else:
                    self._tell(attempt, each)
        for outcome, count in counts.items():
            self._tally.add(outcome, count)
        self._durations.note(asked)
        if is_eventful:
            self._counts.note(asked, answers)
        else:
            self._counts.note_successes(asked)
        self._strike([attempt for attempt, _ in asked])
        if self._observing is not None:
            self._observing.finished(asked, answers)

    def _strike(self, attempts: list[Attempt]) -> None:
        """Let go of settled leases; those of lanes leave room for the next of their key."""
        is_all = self._listener.has_dependents  # anybody may be waited for
        ended = [each.claim for each in attempts if is_all or each.claim.batch is not None]
        if ended:
            self._listener.follow([claim.job_id for claim in ended])
        self._book.strike(attempts)  # only now: what has nothing open has nothing to be followed
        if self._hints.is_waiting:
            self._hints.hint([attempt.claim.job_id for attempt in attempts])
        places = [
            attempt.claim.place for attempt in attempts if attempt.has_slot and attempt.claim.place
        ]
        if places:
            self._listener.free(places)

    def _tell(self, attempt: Attempt, ended: Settlement) -> None:
        self._journal.ended(attempt, ended)
        if ended.outcome in _COMES_BACK and ended.delay_seconds is not None:
            self._listener.expect(ended.delay_seconds)
