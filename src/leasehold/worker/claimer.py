"""Takes leases, a little ahead of what is running, and does the rounds of upkeep in between."""

from __future__ import annotations

import logging
import random
import threading
import time
from typing import TYPE_CHECKING

from leasehold.errors import LeaseholdError
from leasehold.model.outcomes import Released
from leasehold.model.values import Fleet, Want
from leasehold.upkeep.reclaim import LONGEST_GAP_SECONDS, Reclaim
from leasehold.upkeep.rounds import Round, Rounds
from leasehold.worker.attempt import attempt_of
from leasehold.worker.pace import Pace
from leasehold.worker.runners import runs_on_loop
from leasehold.worker.turns import SPARE_LOOKS, TURN_SECONDS, place_in_line

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from leasehold.model.ids import WorkerId
    from leasehold.model.values import Claim
    from leasehold.registry import Registry
    from leasehold.store.base import Store, Wake
    from leasehold.worker.attempt import Attempt
    from leasehold.worker.book import Book
    from leasehold.worker.conclusion import Conclusion
    from leasehold.worker.runners import Runners
    from leasehold.worker.settings import Settings

PROMOTE_LIMIT = 1_000
BEAT_SECONDS = 15.0
LAPSE_LOOK_SECONDS = 0.25  # between the looks of all workers
HEAD_START_SECONDS = 0.0005  # for what was claimed, before this thread is busy with the next look
TEND_SECONDS = 60.0
SECOND_LOOK_SECONDS = 0.02
WAKE_LOOKS_SECONDS = (0.001, 0.004, 0.015)
DOUBT_SECONDS = 5.0
_SHORTEST_PAUSE_SECONDS = 0.05
_LONGEST_PAUSE_SECONDS = 3.0
_logger = logging.getLogger("leasehold.worker")


class Claimer:
    """Own thread; its connection also listens for wake-ups."""

    def __init__(
        self,
        *,
        store: Store,
        worker: WorkerId,
        registry: Registry,
        settings: Settings,
        book: Book,
        runners: Runners,
        conclusion: Conclusion,
        on_empty: Callable[[], None] | None,
    ) -> None:
        self._store = store
        self._worker = worker
        self._tasks = {task.name: task for task in registry}
        self._settings = settings
        self._book = book
        self._runners = runners
        self._conclusion = conclusion
        self._on_empty = on_empty
        self._random = random.Random()
        self._pace = Pace(
            settings.slots, settings.shortest_lease_seconds, can_prefetch=_can_prefetch(registry)
        )
        self._waker = store.waker(frozenset(settings.queues))
        self._wants_poke = False
        self._is_stopping = False
        # Since when leases may stand that we do not know: a claim's answer was lost.
        self._doubt_since: float | None = None
        self._is_doubt_fresh = False
        self._is_after_suspects = False
        self._next_due_at = float("inf")  # the first survey tells
        self._is_hopeful = True  # whether a claim may find something
        self._fleet = Fleet()
        self._reclaim_round = self._plan_reclaim()
        self._rounds = self._plan_rounds()
        self._thread = threading.Thread(target=self._serve, name="leasehold-claim", daemon=True)

    @property
    def is_polling_only(self) -> bool:
        return self._waker.is_polling_only

    def start(self) -> None:
        self._thread.start()

    def stop(self, timeout_seconds: float) -> None:
        self._is_stopping = True
        self._waker.poke()
        self._thread.join(timeout_seconds)

    def poke(self) -> None:
        """Something ended here: look again, if the claimer waits for that."""
        if self._wants_poke:
            self._wants_poke = False
            self._waker.poke()

    def expect(self, delay_seconds: float) -> None:
        """A job of ours will be due by then: promote it no later."""
        due_at = time.monotonic() + delay_seconds
        if due_at < self._next_due_at:
            self._next_due_at = due_at
            self._waker.poke()

    def _plan_rounds(self) -> Rounds:
        poll = self._settings.poll_seconds
        return Rounds(
            [
                Round(self._settle_doubt, poll),
                Round(self._survey, poll),
                self._reclaim_round,
                Round(self._hand_back_stale, poll),
                Round(self._beat, BEAT_SECONDS),
                Round(self._store.tend, TEND_SECONDS),
            ],
            clock=time.monotonic,
            chance=self._random.random,
        )

    def _plan_reclaim(self) -> Round:
        reclaim = Reclaim(self._store, clock=time.monotonic, chance=self._random.random)
        return Round(reclaim.step, self._lapse_seconds())

    def _lapse_seconds(self) -> float:
        """How often to look for lapsed leases: a fleet shares that, it reads all leases.

        Also with a long poll: looks too far apart would count as an outage each time.
        """
        shared = max(self._settings.poll_seconds, self._fleet.workers * LAPSE_LOOK_SECONDS)
        return min(shared, self._settings.shortest_lease_seconds / 6, LONGEST_GAP_SECONDS / 2.5)

    def _serve(self) -> None:
        pause = _SHORTEST_PAUSE_SECONDS
        while not self._is_stopping:
            try:
                self._look()
                pause = _SHORTEST_PAUSE_SECONDS
            except Exception as error:  # noqa: BLE001 - a service loop: it must go on
                self._postpone(error, pause)
                pause = min(_LONGEST_PAUSE_SECONDS, pause * 2)
        self._waker.close()
        self._store.close()

    def _postpone(self, error: Exception, pause: float) -> None:
        """Wait for a random part of the pause, so that a fleet does not come back as one."""
        self._doubt_since, self._is_doubt_fresh = time.monotonic(), True
        is_known = isinstance(error, LeaseholdError)
        _logger.warning(
            "claim postponed", exc_info=None if is_known else error, extra={"error": str(error)}
        )
        self._waker.wait(self._random.uniform(0, pause))

    def _look(self) -> None:
        """Claim what there is room for, do what is due, then wait for a reason to look again."""
        self._pace.measure(self._book.finished, time.monotonic())
        room = self._pace.room(self._book.open_count)
        was_empty = self._book.is_empty
        taken = 0
        if room > 0 and (self._is_hopeful or self._on_empty is not None):
            taken = self._claim_some(room)
            self._is_hopeful = taken > 0
        self._promote()
        self._rounds.run_due()
        if taken > 0:
            return
        if room <= 0:
            self._wait(self._rounds.seconds_to_next(), wants_poke=True)
            return
        if self._on_empty is not None and was_empty and self._is_drained():
            self._on_empty()
        if self._is_after_suspects and self._claim_suspect() > 0:
            return
        if not self._is_hopeful:
            self._await_work(room)

    def _await_work(self, room: int) -> None:
        wants_poke = self._on_empty is not None or self._is_after_suspects
        deadline = time.monotonic() + self._idle_seconds()
        while not self._is_stopping:
            wake = self._wait(deadline - time.monotonic(), wants_poke=wants_poke)
            if wake is None:
                return
            place = place_in_line(self._worker, wake, self._fleet)
            if place <= SPARE_LOOKS:
                if place > 0:
                    self._wait(place * TURN_SECONDS, wants_poke=False)
                self._look_after_wake(room)
                return

    def _look_after_wake(self, room: int) -> None:
        """Look a few times: what woke us may not be committed yet, or have an older place."""
        for pause in WAKE_LOOKS_SECONDS:
            self._is_hopeful = self._claim_some(room) > 0
            if self._is_hopeful:
                time.sleep(HEAD_START_SECONDS)
                return
            if self._is_after_suspects and self._claim_suspect() > 0:
                return  # a poke for the last one: hundreds may wait, and each comes alone
            if self._wait(pause, wants_poke=False) is not None:
                self._is_hopeful = True
            if self._is_hopeful or self._is_stopping:
                return

    def _is_drained(self) -> bool:
        """Whether nothing is left to do: asks the tables, since a claim's hint may hide a job."""
        if self._store.promote(limit=PROMOTE_LIMIT).count > 0:
            return False
        if self._claim_suspect() + self._claim_parked() > 0 or not self._book.is_empty:
            return False
        ours = [each for each in self._store.counts() if each.queue in self._settings.queues]
        return sum(each.ready for each in ours) == 0

    def _idle_seconds(self) -> float:
        due = self._next_due_at - time.monotonic() if self._next_due_at > 0 else float("inf")
        nearest = min(self._settings.poll_seconds, self._rounds.seconds_to_next(), due)
        return max(0.001, nearest)

    def _wait(self, timeout_seconds: float, *, wants_poke: bool) -> Wake | None:
        self._wants_poke = wants_poke
        if self._is_stopping:
            return None
        if wants_poke and self._pace.room(self._book.open_count) > 0 and self._book.is_empty:
            timeout_seconds = min(timeout_seconds, SECOND_LOOK_SECONDS)
        wake = self._waker.wait(max(0.0, timeout_seconds))
        self._wants_poke = False
        return wake

    def _claim_some(self, room: int) -> int:
        wants = self._wants(room)
        if not wants:
            return 0
        return self._take(
            lambda: self._store.claim(self._worker, wants, limit=room, leases=self._settings.leases)
        )

    def _survey(self) -> None:
        """See in one look what there is to do; an idle worker does nothing else."""
        seen = self._store.survey(self._settings.queues, tuple(self._tasks))
        self._is_hopeful = self._is_hopeful or seen.ready
        self._note_due(seen.due_seconds)
        if seen.parked:
            self._claim_parked()
        if seen.suspects:
            self._claim_suspect()

    def _claim_suspect(self) -> int:
        """Take a job that lapsed before, alone and one at a time: it may kill its worker."""
        wants = self._wants(1)
        if self._book.suspects > 0 or self._pace.room(self._book.open_count) <= 0 or not wants:
            return 0
        taken = self._take(
            lambda: self._store.claim(
                self._worker, wants, limit=1, leases=self._settings.leases, is_for_suspects=True
            )
        )
        self._is_after_suspects = taken > 0
        return taken

    def _claim_parked(self) -> int:
        room = min(self._settings.slots, self._pace.room(self._book.open_count))
        wants = self._wants(room) if room > 0 else []
        if not wants:
            return 0
        return self._take(
            lambda: self._store.claim_parked(
                self._worker, wants, limit=room, leases=self._settings.leases
            )
        )

    def _take(self, claim: Callable[[], list[Claim]]) -> int:
        if self._is_doubt_fresh:
            self._settle_doubt()
        asked_at = time.monotonic()
        claims = claim()
        if claims:
            attempts = [attempt_of(each, self._tasks[each.kind], asked_at) for each in claims]
            self._book.add(attempts)
            self._hand_over(attempts)
        return len(claims)

    def _hand_over(self, attempts: list[Attempt]) -> None:
        if not self._is_stopping:
            self._runners.submit(attempts)
            return
        for attempt in attempts:  # the claim was under way when the stop came
            self._conclusion.outcome(attempt, Released())

    def _wants(self, room: int) -> Sequence[Want]:
        limits = self._settings.queue_slots
        wants = []
        for queue in self._settings.queue_order(self._random):
            limit = min(room, limits[queue] - self._book.open_in(queue)) if limits else room
            if limit > 0:
                wants.append(Want(queue, limit))
        return wants

    def _promote(self) -> None:
        if time.monotonic() < self._next_due_at:
            return
        self._next_due_at = float("inf")  # what is expected from here on stays expected
        promotion = self._store.promote(limit=PROMOTE_LIMIT)
        self._is_hopeful = self._is_hopeful or promotion.count > 0
        self._note_due(0.0 if promotion.count == PROMOTE_LIMIT else promotion.next_seconds)

    def _note_due(self, delay_seconds: float | None) -> None:
        """Promote when the next job is due; of a fleet a few do so, the others survey later."""
        is_prompt = self._random.random() * self._fleet.workers < 1 + SPARE_LOOKS
        if delay_seconds is not None and (delay_seconds <= 0 or is_prompt):
            self._next_due_at = min(self._next_due_at, time.monotonic() + delay_seconds)

    def _settle_doubt(self) -> None:
        """After a claim whose answer was lost, hand back the leases that we do not know.

        The database may still have been at work on that claim: look again for a few seconds.
        """
        if self._doubt_since is None:
            return
        known = [each.held() for each in self._book.held()]
        released = self._store.release_unknown(self._worker, known)
        self._is_doubt_fresh = False
        if time.monotonic() - self._doubt_since > DOUBT_SECONDS:
            self._doubt_since = None
        if released:
            _logger.warning("unknown leases handed back", extra={"count": released})

    def _hand_back_stale(self) -> None:
        """Give others what has waited here for a third of its lease without starting."""
        now = time.monotonic()
        if any(each.is_stale(now) for each in self._book.held()):
            for attempt in self._runners.recall():
                self._conclusion.outcome(attempt, Released())

    def _beat(self) -> None:
        self._fleet = self._store.beat(self._worker, running=self._book.running_count)
        self._reclaim_round.every_seconds = self._lapse_seconds()


def _can_prefetch(registry: Registry) -> bool:
    """With handlers of one sort, slots bound what runs; with both, only claiming less does."""
    return len({runs_on_loop(task) for task in registry}) == 1
