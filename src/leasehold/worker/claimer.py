"""Takes leases, a little ahead of what is running, and lets the caretaker work in between."""

from __future__ import annotations

import logging
import random
import threading
import time
from typing import TYPE_CHECKING

from leasehold.errors import LeaseholdError
from leasehold.model.states import State
from leasehold.model.values import Filter
from leasehold.worker.caretaker import Caretaker
from leasehold.worker.pace import Pace
from leasehold.worker.report import Reason
from leasehold.worker.runners import runs_on_loop
from leasehold.worker.taker import Taker
from leasehold.worker.turns import SPARE_LOOKS, TURN_SECONDS, place_in_line

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from leasehold.model.ids import WorkerId
    from leasehold.model.values import Only, Survey
    from leasehold.registry import Registry
    from leasehold.store.base import Store, Wake
    from leasehold.upkeep.reencryption import Reencryption
    from leasehold.upkeep.retention import Retention
    from leasehold.upkeep.statistics import Sampler
    from leasehold.worker.book import Book
    from leasehold.worker.conclusion import Conclusion
    from leasehold.worker.counting import Counts
    from leasehold.worker.follower import Follower
    from leasehold.worker.intake import Intake
    from leasehold.worker.journal import Journal
    from leasehold.worker.observing import Observing
    from leasehold.worker.plan import Plan
    from leasehold.worker.runners import Runners
    from leasehold.worker.settings import Settings

HEAD_START_SECONDS = 0.0005  # for what was claimed, before this thread is busy with the next look
SECOND_LOOK_SECONDS = 0.02
# A wake-up may come ahead of its job, which is there as soon as the disk has it.
WAKE_LOOKS_SECONDS = (0.0002, 0.0003, 0.0005, 0.001, 0.004, 0.015)
_ALL_LOOKS_SECONDS = sum(WAKE_LOOKS_SECONDS)
_SHORTEST_WAIT_SECONDS = 0.001  # polls wait for whole milliseconds
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
        retention: Retention,
        reencryption: Reencryption,
        counts: Counts,
        sampler: Sampler,
        follower: Follower,
        plan: Plan,
        on_end: Callable[[Reason], None],
        intake: Intake,
        journal: Journal,
        observing: Observing | None = None,
    ) -> None:
        self._store = store
        self._worker = worker
        self._settings = settings
        self._book = book
        self._plan = plan
        self._intake = intake
        self._on_end = on_end
        self._random = random.Random()
        self._pace = Pace(
            settings.slots, settings.shortest_lease_seconds, can_prefetch=_can_prefetch(registry)
        )
        self._taker = Taker(
            store=store,
            worker=worker,
            registry=registry,
            settings=settings,
            book=book,
            runners=runners,
            conclusion=conclusion,
            pace=self._pace,
            plan=plan,
            intake=intake,
        )
        self._waker = store.waker(frozenset(settings.queues))
        self._wants_poke = False
        self._has_ended = False  # whether something has, since the last look began
        self._expects_until = float("-inf")  # a job that we were woken for may not be there yet
        self._is_stopping = False
        self._care = Caretaker(
            store=store,
            worker=worker,
            kinds=tuple(task.name for task in registry),
            settings=settings,
            book=book,
            taker=self._taker,
            intake=intake,
            retention=retention,
            reencryption=reencryption,
            counts=counts,
            sampler=sampler,
            follower=follower,
            plan=plan,
            journal=journal,
            is_polling_only=lambda: self.is_polling_only,
            observing=observing,
        )
        self._thread = threading.Thread(target=self._serve, name="leasehold-claim", daemon=True)

    @property
    def is_polling_only(self) -> bool:
        return self._waker.is_polling_only

    @property
    def has_dependents(self) -> bool:
        """Whether jobs wait for others to end."""
        return self._care.has_dependents

    def start(self) -> None:
        self._thread.start()

    def stop(self, timeout_seconds: float) -> None:
        self._is_stopping = self._intake.is_stopping = True
        self._waker.poke()
        self._thread.join(timeout_seconds)

    def poke(self) -> None:
        """Something ended here: look again, if the claimer waits for that."""
        self._has_ended = True
        if self._wants_poke:
            self._wants_poke = False
            self._waker.poke()

    def free(self, places: Sequence[str]) -> None:
        """Jobs of these lanes have ended here; a poke follows."""
        self._taker.lanes.free(places)

    def expect(self, delay_seconds: float) -> None:
        """A job of ours will be due by then: promote it no later."""
        if self._care.expect(delay_seconds):
            self._waker.poke()

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
        self._intake.doubt()
        is_known = isinstance(error, LeaseholdError)
        _logger.warning(
            "claim postponed", exc_info=None if is_known else error, extra={"error": str(error)}
        )
        self._waker.wait(self._random.uniform(0, pause))

    def _look(self) -> None:
        """Claim what there is room for, do what is due, then wait for a reason to look again."""
        self._hear_of_ends()
        now = time.monotonic()
        self._pace.measure(self._book.finished, self._book.busy_seconds(now), now)
        room = self._plan.room(self._pace.room(self._book.open_count))
        was_empty = self._book.is_empty
        if self._plan.is_spent and was_empty:
            self._on_end(Reason.MAX_JOBS)
        self._taker.is_held_up = False
        taken = 0
        if room > 0 and (self._taker.is_hopeful or self._plan.ends_empty):
            if self._plan.ends_empty:
                self._taker.hope()
            taken = self._taker.take_some(room)
        self._care.do_what_is_due()
        if taken > 0:
            return
        if room <= 0:
            wake = self._wait(self._care.seconds_to_next(with_jobs=False), wants_poke=True)
            if wake is not None and not wake.is_poke:
                self._taker.hope_everywhere()  # no other wake-up will tell of it
            return
        if self._plan.ends_empty and was_empty and (reason := self._drained(room)) is not None:
            self._on_end(reason)
        if self._taker.is_after_suspects and self._taker.take_suspect() > 0:
            return
        if not self._taker.is_hopeful:
            self._await_work(room)

    def _hear_of_ends(self) -> None:
        """Look for more where something ended meanwhile: a queue with a limit may have room."""
        if self._has_ended:
            self._has_ended = False  # before the look; what ends from here on is for the next one
            if self._taker.rooms:
                self._taker.hope_everywhere()

    def _await_work(self, room: int) -> None:
        if time.monotonic() < self._expects_until:
            self._look_after_wake(room)
            return
        may_free = self._taker.uses_lanes or self._settings.queue_slots or self._taker.rooms
        wants_poke = self._is_eager or bool(may_free) or self._taker.is_after_suspects
        deadline = time.monotonic() + self._idle_seconds()
        while not self._is_stopping:
            wake = self._wait(deadline - time.monotonic(), wants_poke=wants_poke)
            if self._has_ended and self._taker.rooms:
                self._taker.hope_everywhere()  # a slot of a queue with a limit may be free
            if wake is None:
                return
            if wake.is_poke and not self._is_eager and not self._settings.queue_slots:
                return  # nothing came, but a slot of some lane or queue may be free
            place = place_in_line(self._worker, wake, self._care.fleet)
            if place <= SPARE_LOOKS:
                if place > 0:
                    self._wait(place * TURN_SECONDS, wants_poke=False)
                if self._taker.uses_lanes:
                    self._taker.lanes.hope()  # what came may have gone to a lane
                self._look_after_wake(room)
                return

    def _look_after_wake(self, room: int) -> None:
        """Look a few times: what woke us may not be committed yet, or have an older place.

        A wake-up that comes meanwhile may be for another job, which is looked for as long.
        """
        self._expects_until = float("-inf")
        for pause in WAKE_LOOKS_SECONDS:
            self._taker.hope()
            if self._taker.take_some(room) > 0:
                time.sleep(HEAD_START_SECONDS)
                return
            if self._taker.is_after_suspects and self._taker.take_suspect() > 0:
                return  # a poke for the last one: hundreds may wait, and each comes alone
            if self._wait(pause, wants_poke=False) is not None:
                self._taker.hope_everywhere()  # this wake-up may be about something else
                self._expects_until = time.monotonic() + _ALL_LOOKS_SECONDS
            if self._taker.is_hopeful or self._is_stopping:
                return

    def _drained(self, room: int) -> Reason | None:
        """Whether nothing is left that may run: a survey looks where a claim's hint may not."""
        seen = self._let_come()
        if seen is None:
            return None
        if self._taker.only is not None:
            return self._drained_of(self._taker.only, seen, room)
        is_empty = not (seen.ready or seen.suspects or self._taker.has_open_lanes())
        return Reason.EMPTY if is_empty else None

    def _let_come(self) -> Survey | None:
        """Do all that may let jobs come; None when something did, else what is there."""
        if self._care.let_come():
            return None
        if self._taker.take_suspect() + self._taker.take_parked() > 0 or not self._book.is_empty:
            return None
        seen = self._care.survey()
        if self._care.let_follow(seen):
            return None
        if seen.batches or seen.dependents:
            seen = self._care.survey()  # another one may have followed up since the first
        self._taker.learn(seen)
        self._taker.uses_lanes = self._taker.uses_lanes or seen.lanes
        return seen

    def _drained_of(self, only: Only, seen: Survey, room: int) -> Reason | None:
        """Do the same for a run that is narrowed: what others may run is no matter."""
        self._taker.hope_everywhere()
        if self._taker.take_some(room) > 0:
            return None
        if only.kinds is None:
            return None if self._taker.has_open_lanes() else Reason.EMPTY
        is_left = seen.ready or seen.suspects or seen.parked or seen.lanes
        if is_left and only.batch is not None:
            members = Filter(batch=only.batch, state=State.QUEUED)
            is_left = bool(self._store.find_ids(members, before=None, limit=1))
        return Reason.BUDGET if is_left else Reason.EMPTY

    def _idle_seconds(self) -> float:
        opens = self._taker.lanes.opens_at - time.monotonic()
        due = self._care.seconds_to_next(with_jobs=True)
        return max(0.001, min(self._settings.poll_seconds, due, opens))

    def _wait(self, timeout_seconds: float, *, wants_poke: bool) -> Wake | None:
        if timeout_seconds < _SHORTEST_WAIT_SECONDS and not wants_poke:
            time.sleep(max(0.0, timeout_seconds))
            return None
        self._wants_poke = wants_poke
        hears_ends = bool(self._taker.rooms) or self._taker.is_after_suspects
        if self._is_stopping or (wants_poke and self._has_ended and hears_ends):
            return None
        if wants_poke and self._is_eager and self._has_nothing:
            timeout_seconds = min(timeout_seconds, SECOND_LOOK_SECONDS)
        wake = self._waker.wait(max(0.0, timeout_seconds))
        self._wants_poke = False
        return wake

    @property
    def _is_eager(self) -> bool:
        """Whether the next look should not wait for a wake-up."""
        may_have_suspects = self._taker.is_after_suspects and self._book.suspects == 0
        return self._plan.ends_empty or self._plan.is_spent or may_have_suspects

    @property
    def _has_nothing(self) -> bool:
        return self._pace.room(self._book.open_count) > 0 and self._book.is_empty


def _can_prefetch(registry: Registry) -> bool:
    """With handlers of one sort, slots bound what runs; with both, only claiming less does."""
    return len({runs_on_loop(task) for task in registry}) == 1
