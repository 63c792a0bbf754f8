"""Takes leases, a little ahead of what is running, and does the rounds of upkeep in between."""

from __future__ import annotations

import logging
import random
import threading
import time
from typing import TYPE_CHECKING

from leasehold.errors import LeaseholdError
from leasehold.model.states import State
from leasehold.model.values import Filter, Fleet
from leasehold.upkeep import retention as keeping
from leasehold.upkeep.following import sweep_dependents
from leasehold.upkeep.reclaim import LONGEST_GAP_SECONDS, Reclaim
from leasehold.upkeep.rounds import Round, Rounds
from leasehold.upkeep.schedules import Firings
from leasehold.worker.follower import SWEEP_LIMIT
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
    from leasehold.upkeep.retention import Retention
    from leasehold.worker.book import Book
    from leasehold.worker.conclusion import Conclusion
    from leasehold.worker.follower import Follower
    from leasehold.worker.plan import Plan
    from leasehold.worker.runners import Runners
    from leasehold.worker.settings import Settings

PROMOTE_LIMIT = 1_000
HAND_OVER_LIMIT = 1_000
BEAT_SECONDS = 15.0
LAPSE_LOOK_SECONDS = 0.25  # between the looks of all workers
HEAD_START_SECONDS = 0.0005  # for what was claimed, before this thread is busy with the next look
TEND_SECONDS = 60.0
FIRST_KEEP_SECONDS = 5.0
SECOND_LOOK_SECONDS = 0.02
WAKE_LOOKS_SECONDS = (0.001, 0.004, 0.015)
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
        follower: Follower,
        plan: Plan,
        on_end: Callable[[Reason], None],
    ) -> None:
        self._store = store
        self._retention = retention
        self._follower = follower
        self._worker = worker
        self._kinds = tuple(task.name for task in registry)
        self._settings = settings
        self._book = book
        self._plan = plan
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
        )
        self._waker = store.waker(frozenset(settings.queues))
        self._wants_poke = False
        self._is_stopping = False
        self._is_after_suspects = False
        self._has_successors = False  # whether jobs wait behind others of their key
        self.has_dependents = False  # whether jobs wait for others to end
        self._has_batches = False  # whether any batch has not ended
        self._next_due_at = float("inf")  # the first survey tells
        self._firings = Firings(store, clock=time.monotonic)
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
        self._is_stopping = self._taker.is_stopping = True
        self._waker.poke()
        self._thread.join(timeout_seconds)

    def poke(self) -> None:
        """Something ended here: look again, if the claimer waits for that."""
        if self._wants_poke:
            self._wants_poke = False
            self._waker.poke()

    def free(self, places: Sequence[str]) -> None:
        """Jobs of these lanes have ended here; a poke follows."""
        self._taker.lanes.free(places)

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
                Round(self._taker.settle_doubt, poll),
                Round(self._survey, poll),
                Round(self._hand_over, poll),
                Round(self._sweep, poll),
                self._reclaim_round,
                Round(self._taker.hand_back_stale, poll),
                Round(self._beat, BEAT_SECONDS),
                Round(self._store.tend, TEND_SECONDS),
                Round(self._keep, keeping.ASK_SECONDS, due_at=self._first_keep_at()),
            ],
            clock=time.monotonic,
            chance=self._random.random,
        )

    def _first_keep_at(self) -> float:
        """Not at the start, but soon: a worker that cron starts may live for a minute only."""
        return time.monotonic() + self._random.uniform(0.5, 1.5) * FIRST_KEEP_SECONDS

    def _plan_reclaim(self) -> Round:
        reclaim = Reclaim(
            self._store,
            clock=time.monotonic,
            chance=self._random.random,
            on_ended=self._follower.put,
        )
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
        self._taker.doubt()
        is_known = isinstance(error, LeaseholdError)
        _logger.warning(
            "claim postponed", exc_info=None if is_known else error, extra={"error": str(error)}
        )
        self._waker.wait(self._random.uniform(0, pause))

    def _look(self) -> None:
        """Claim what there is room for, do what is due, then wait for a reason to look again."""
        self._pace.measure(self._book.finished, time.monotonic())
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
        self._fire()
        self._promote()
        self._rounds.run_due()
        if taken > 0:
            return
        if room <= 0:
            slot = self._firings.due_at - time.monotonic()
            self._wait(min(self._rounds.seconds_to_next(), slot), wants_poke=True)
            return
        if self._plan.ends_empty and was_empty and (reason := self._drained(room)) is not None:
            self._on_end(reason)
        if self._is_after_suspects and self._claim_suspect() > 0:
            return
        if not self._taker.is_hopeful:
            self._await_work(room)

    def _await_work(self, room: int) -> None:
        wants_poke = self._is_eager or self._taker.uses_lanes or len(self._settings.queue_slots) > 0
        deadline = time.monotonic() + self._idle_seconds()
        while not self._is_stopping:
            wake = self._wait(deadline - time.monotonic(), wants_poke=wants_poke)
            if wake is None:
                return
            if wake.is_poke and not self._is_eager and not self._settings.queue_slots:
                return  # nothing came, but a slot of some lane may be free
            place = place_in_line(self._worker, wake, self._fleet)
            if place <= SPARE_LOOKS:
                if place > 0:
                    self._wait(place * TURN_SECONDS, wants_poke=False)
                if self._taker.uses_lanes:
                    self._taker.lanes.hope()  # what came may have gone to a lane
                self._look_after_wake(room)
                return

    def _look_after_wake(self, room: int) -> None:
        """Look a few times: what woke us may not be committed yet, or have an older place."""
        for pause in WAKE_LOOKS_SECONDS:
            self._taker.hope()
            if self._taker.take_some(room) > 0:
                time.sleep(HEAD_START_SECONDS)
                return
            if self._is_after_suspects and self._claim_suspect() > 0:
                return  # a poke for the last one: hundreds may wait, and each comes alone
            if self._wait(pause, wants_poke=False) is not None:
                self._taker.hope()
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
        self._firings.expect(0.0)
        if self._fire() + self._store.promote(limit=PROMOTE_LIMIT).count > 0:
            return None
        if self._claim_suspect() + self._taker.take_parked() > 0 or not self._book.is_empty:
            return None
        seen = self._store.survey(self._settings.queues, self._kinds)
        if seen.successors and self._store.hand_over(limit=HAND_OVER_LIMIT) > 0:
            return None
        if seen.batches or seen.dependents:
            if self._is_followed_by_something(seen):
                return None
            # Another one may have followed up since the survey.
            seen = self._store.survey(self._settings.queues, self._kinds)
        self._taker.uses_lanes = self._taker.uses_lanes or seen.lanes
        return seen

    def _drained_of(self, only: Only, seen: Survey, room: int) -> Reason | None:
        """Do the same for a run that is narrowed: what others may run is no matter."""
        self._taker.hope()
        self._taker.lanes.hope()
        if self._taker.take_some(room) > 0:
            return None
        if only.kinds is None:
            return None if self._taker.has_open_lanes() else Reason.EMPTY
        is_left = seen.ready or seen.suspects or seen.parked or seen.lanes
        if is_left and only.batch is not None:
            members = Filter(batch=only.batch, state=State.QUEUED)
            is_left = bool(self._store.find_ids(members, before=None, limit=1))
        return Reason.BUDGET if is_left else Reason.EMPTY

    def _is_followed_by_something(self, seen: Survey) -> bool:
        """Whether ends that nobody had followed up led to something, or somebody is at it."""
        is_any = seen.dependents and sweep_dependents(self._store).is_any
        if seen.batches:
            swept = self._store.sweep(after=None, limit=SWEEP_LIMIT, is_thorough=False)
            is_any = is_any or swept.is_any or bool(swept.busy)
        return is_any or not self._follower.is_idle

    def _idle_seconds(self) -> float:
        due = self._next_due_at - time.monotonic() if self._next_due_at > 0 else float("inf")
        opens = self._taker.lanes.opens_at - time.monotonic()
        slot = self._firings.due_at - time.monotonic()
        nearest = min(self._settings.poll_seconds, self._rounds.seconds_to_next(), due, opens, slot)
        return max(0.001, nearest)

    def _wait(self, timeout_seconds: float, *, wants_poke: bool) -> Wake | None:
        self._wants_poke = wants_poke
        if self._is_stopping:
            return None
        if wants_poke and self._is_eager and self._has_nothing:
            timeout_seconds = min(timeout_seconds, SECOND_LOOK_SECONDS)
        wake = self._waker.wait(max(0.0, timeout_seconds))
        self._wants_poke = False
        return wake

    @property
    def _is_eager(self) -> bool:
        """Whether the next look should not wait for a wake-up."""
        return self._plan.ends_empty or self._plan.is_spent or self._is_after_suspects

    @property
    def _has_nothing(self) -> bool:
        return self._pace.room(self._book.open_count) > 0 and self._book.is_empty

    def _survey(self) -> None:
        """See in one look what there is to do; an idle worker does nothing else."""
        seen = self._store.survey(self._settings.queues, self._kinds)
        if seen.ready:
            self._taker.hope()
        self._has_successors = seen.successors
        self.has_dependents = seen.dependents
        self._has_batches = seen.batches
        self._taker.agings = seen.agings
        if seen.lanes:
            self._taker.uses_lanes = True
            self._taker.lanes.hope_in_vain(self._fleet.workers)
        self._note_due(seen.due_seconds)
        self._note_slot(seen.schedule_seconds)
        if seen.parked:
            self._taker.take_parked()
        if seen.suspects or seen.lanes:
            self._claim_suspect()

    def _hand_over(self) -> None:
        """Let go what waits behind a job that runs no more; of a fleet, a few workers look."""
        if not self._has_successors or not self._is_our_turn():
            return
        if self._store.hand_over(limit=HAND_OVER_LIMIT) > 0:
            self._hope_everywhere()

    def _hope_everywhere(self) -> None:
        self._taker.hope()
        self._taker.lanes.hope()  # some may have gone to a lane

    def _is_our_turn(self) -> bool:
        return self._random.random() * self._fleet.workers < 1 + SPARE_LOOKS

    def _keep(self) -> None:
        """Ask whether it is our turn to take away old jobs; of a fleet, a few workers ask."""
        if self._random.random() * self._fleet.workers < 1 + SPARE_LOOKS:
            self._retention.ask(self._store)

    def _sweep(self) -> None:
        """Look for ends that nobody has followed up; of a fleet, a few workers look."""
        if (self._has_batches or self.has_dependents) and self._is_our_turn():
            self._follower.sweep()

    def _claim_suspect(self) -> int:
        taken = self._taker.take_suspect()
        self._is_after_suspects = taken > 0
        return taken

    def _promote(self) -> None:
        if time.monotonic() < self._next_due_at:
            return
        self._next_due_at = float("inf")  # what is expected from here on stays expected
        promotion = self._store.promote(limit=PROMOTE_LIMIT)
        if promotion.count > promotion.in_lanes:
            self._taker.hope()
        if promotion.in_lanes > 0:
            self._taker.uses_lanes = True
            self._taker.lanes.hope()
        self._note_due(0.0 if promotion.count == PROMOTE_LIMIT else promotion.next_seconds)

    def _fire(self) -> int:
        """Fire the schedules whose slot has come."""
        fired = self._firings.step()
        if fired > 0:
            self._hope_everywhere()
            self._next_due_at = time.monotonic()  # or, with a jitter, come later
        return fired

    def _note_slot(self, delay_seconds: float | None) -> None:
        """Be there when the next slot comes, if no survey will tell before; also of a late one."""
        horizon = 2 * self._settings.poll_seconds
        if delay_seconds is not None and delay_seconds < horizon and self._is_our_turn():
            self._firings.expect(delay_seconds)

    def _note_due(self, delay_seconds: float | None) -> None:
        """Promote when the next job is due; of a fleet a few do so, the others survey later."""
        if delay_seconds is not None and (delay_seconds <= 0 or self._is_our_turn()):
            self._next_due_at = min(self._next_due_at, time.monotonic() + delay_seconds)

    def _beat(self) -> None:
        self._fleet = self._store.beat(self._worker, running=self._book.running_count)
        if news := self._plan.durations.take_news():
            self._store.note_durations(news)
        self._reclaim_round.every_seconds = self._lapse_seconds()


def _can_prefetch(registry: Registry) -> bool:
    """With handlers of one sort, slots bound what runs; with both, only claiming less does."""
    return len({runs_on_loop(task) for task in registry}) == 1
