"""What a worker does for the queue beside its own jobs, on the claimer's thread and connection.

It promotes what is due, fires schedules, takes back lapsed leases, follows up what others did not
live to, shows a heartbeat, and sees in one look a second whether there is anything to do at all.
"""

from __future__ import annotations

import random
import time
from typing import TYPE_CHECKING

from leasehold.model.states import State
from leasehold.model.values import Fleet
from leasehold.upkeep import retention as keeping
from leasehold.upkeep import statistics as sampling
from leasehold.upkeep.following import sweep_dependents
from leasehold.upkeep.reclaim import LONGEST_GAP_SECONDS, Reclaim
from leasehold.upkeep.reencryption import ASK_SECONDS
from leasehold.upkeep.rounds import Round, Rounds
from leasehold.upkeep.schedules import Firings
from leasehold.worker.counting import FLEET_FLUSH_SECONDS, FLUSH_SECONDS
from leasehold.worker.follower import SWEEP_LIMIT
from leasehold.worker.journal import SUMMARY_SECONDS
from leasehold.worker.turns import SPARE_LOOKS, looks_for_lapses, seconds_between_surveys

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from leasehold.model.ids import JobId, WorkerId
    from leasehold.model.values import Survey
    from leasehold.store.base import Store
    from leasehold.upkeep.reencryption import Reencryption
    from leasehold.upkeep.retention import Retention
    from leasehold.upkeep.statistics import Sampler
    from leasehold.worker.book import Book
    from leasehold.worker.counting import Counts
    from leasehold.worker.follower import Follower
    from leasehold.worker.intake import Intake
    from leasehold.worker.journal import Journal
    from leasehold.worker.observing import Observing
    from leasehold.worker.plan import Plan
    from leasehold.worker.settings import Settings
    from leasehold.worker.taker import Taker

PROMOTE_LIMIT = 1_000
HAND_OVER_LIMIT = 1_000
BEAT_SECONDS = 15.0
LAPSE_LOOK_SECONDS = 0.25  # between the looks of all workers
TEND_SECONDS = 60.0
FIRST_BEAT_SECONDS = 0.2  # its registration was the first; jobs wait
FIRST_TEND_SECONDS = 2.0
FIRST_KEEP_SECONDS = 5.0
FIRST_SAMPLE_SECONDS = 1.0
BUSY_SAMPLE_SECONDS = (
    10.0  # … of who begins with jobs to run: counting a million takes half a second
)


class Caretaker:
    """Used by the claimer's thread alone; `expect` from any."""

    def __init__(
        self,
        *,
        store: Store,
        worker: WorkerId,
        kinds: tuple[str, ...],
        settings: Settings,
        book: Book,
        taker: Taker,
        intake: Intake,
        retention: Retention,
        reencryption: Reencryption,
        counts: Counts,
        sampler: Sampler,
        follower: Follower,
        plan: Plan,
        journal: Journal,
        is_polling_only: Callable[[], bool],
        observing: Observing | None = None,
    ) -> None:
        self._store = store
        self._worker = worker
        self._kinds = kinds
        self._settings = settings
        self._book = book
        self._taker = taker
        self._intake = intake
        self._retention = retention
        self._reencryption = reencryption
        self._counts = counts
        self._sampler = sampler
        self._follower = follower
        self._plan = plan
        self._journal = journal
        self._is_polling_only = is_polling_only
        self._observing = observing
        self._random = random.Random()
        self._lot = self._random.random()  # who looks for lapses; not drawn anew each time
        self._has_successors = False  # whether jobs wait behind others of their key
        self.has_dependents = False  # whether jobs wait for others to end
        self._has_batches = False  # whether any batch has not ended
        self._next_due_at = float("inf")  # the first survey tells
        self._firings = Firings(store, clock=time.monotonic)
        self.fleet = Fleet()
        self._survey_round = Round(self._survey, settings.poll_seconds)
        self._begun_at = time.monotonic()
        self._sample_round = self._plan_sampling()
        self._reclaim_round = self._plan_reclaim()
        self._count_round = Round(lambda: counts.flush(store), FLUSH_SECONDS)
        self.rounds = self._plan_rounds()

    def do_what_is_due(self) -> None:
        self._fire()
        self._promote()
        self.rounds.run_due()

    def seconds_to_next(self, *, with_jobs: bool) -> float:
        """How long until something is due; jobs that fall due only matter to who has room."""
        now = time.monotonic()
        slot = self._firings.due_at - now
        due = self._next_due_at - now if with_jobs and self._next_due_at > 0 else float("inf")
        return min(self.rounds.seconds_to_next(), slot, due)

    def expect(self, delay_seconds: float) -> bool:
        """Promote what is due by then no later; whether that is sooner than was known."""
        due_at = time.monotonic() + delay_seconds
        if due_at >= self._next_due_at:
            return False
        self._next_due_at = due_at
        return True

    def survey(self) -> Survey:
        return self._store.survey(self._settings.queues, self._kinds)

    def let_come(self) -> bool:
        """Do at once all that may let jobs come, but for their ends; whether something did."""
        self._firings.expect(0.0)
        return self._fire() + self._store.promote(limit=PROMOTE_LIMIT).count > 0

    def let_follow(self, seen: Survey) -> bool:
        """Do what ends may have led to; whether there was something, or somebody is at it."""
        if seen.successors and self._store.hand_over(limit=HAND_OVER_LIMIT) > 0:
            return True
        is_any = seen.dependents and sweep_dependents(self._store).is_any
        if seen.batches:
            swept = self._store.sweep(after=None, limit=SWEEP_LIMIT, is_thorough=False)
            is_any = is_any or swept.is_any or bool(swept.busy)
        return is_any or (not self._follower.is_idle and (seen.dependents or seen.batches))

    # -- the rounds ------------------------------------------------------------------------------
    def _plan_rounds(self) -> Rounds:
        poll = self._settings.poll_seconds
        return Rounds(
            [
                Round(lambda: self._intake.settle_doubt(self._store), poll),
                self._survey_round,
                Round(self._hand_over, poll),
                Round(self._sweep, poll),
                self._reclaim_round,
                self._count_round,
                Round(self._taker.hand_back_stale, poll),
                Round(self._beat, BEAT_SECONDS, due_at=self._soon(FIRST_BEAT_SECONDS)),
                Round(self._store.tend, TEND_SECONDS, due_at=self._soon(FIRST_TEND_SECONDS)),
                Round(self._journal.summarise, SUMMARY_SECONDS, due_at=_in(SUMMARY_SECONDS)),
                Round(self._keep, keeping.ASK_SECONDS, due_at=self._soon(FIRST_KEEP_SECONDS)),
                Round(self._reencrypt, ASK_SECONDS, due_at=self._soon(ASK_SECONDS)),
                self._sample_round,
            ],
            clock=time.monotonic,
            chance=self._random.random,
        )

    def _soon(self, seconds: float) -> float:
        """Not at the start, but soon: a worker that cron starts may live for a minute only."""
        return time.monotonic() + self._random.uniform(0.5, 1.5) * seconds

    def _plan_sampling(self) -> Round:
        soon = self._soon(FIRST_SAMPLE_SECONDS)
        return Round(self._sample, sampling.ASK_SECONDS, due_at=soon)

    def _plan_reclaim(self) -> Round:
        reclaim = Reclaim(
            self._store,
            clock=time.monotonic,
            chance=self._random.random,
            on_ended=self._follower.put,
            on_taken=self._tell_reclaimed,
        )
        return Round(
            lambda: reclaim.step() if looks_for_lapses(self._lot, self.fleet) else 0,
            self._lapse_seconds(),
        )

    def _tell_reclaimed(self, taken: Mapping[JobId, State]) -> None:
        if self._observing is not None:
            dead = sum(state is State.DEAD for state in taken.values())
            self._observing.tell("reclaimed", len(taken), dead)
        self._counts.note_lapses(taken, self._store.labels(list(taken)))

    def _lapse_seconds(self) -> float:
        """How often to look for lapsed leases: a fleet shares that, it reads all leases.

        Also with a long poll: looks too far apart would count as an outage each time.
        """
        shared = max(self._settings.poll_seconds, self.fleet.workers * LAPSE_LOOK_SECONDS)
        return min(shared, self._settings.shortest_lease_seconds / 6, LONGEST_GAP_SECONDS / 2.5)

    def _survey_seconds(self) -> float:
        """How often to survey: where wake-ups come through, a fleet shares that."""
        poll = self._settings.poll_seconds
        if self._is_polling_only():
            return poll
        return seconds_between_surveys(poll, self._settings.queues, self.fleet)

    def _survey(self) -> None:
        """See in one look what there is to do; an idle worker does nothing else."""
        seen = self.survey()
        if seen.ready:
            self._taker.hope()
        self._has_successors = seen.successors
        self.has_dependents = seen.dependents
        self._has_batches = seen.batches
        self._taker.learn(seen)
        if seen.lanes:
            self._taker.uses_lanes = True
            self._taker.lanes.hope_in_vain(self.fleet.workers)
        self._note_due(seen.due_seconds)
        self._note_slot(seen.schedule_seconds)
        if seen.parked:
            self._taker.take_parked()
        if seen.suspects or seen.lanes:
            self._taker.take_suspect()

    def _hand_over(self) -> None:
        """Let go what waits behind a job that runs no more."""
        if not self._has_successors or not self._is_our_turn():
            return
        if self._store.hand_over(limit=HAND_OVER_LIMIT) > 0:
            self._taker.hope_everywhere()

    def _sweep(self) -> None:
        """Look for ends that nobody has followed up."""
        if (self._has_batches or self.has_dependents) and self._is_our_turn():
            self._follower.sweep()

    def _keep(self) -> None:
        """Ask whether it is on us to take away old jobs."""
        if self._is_our_turn():
            self._retention.ask(self._store)

    def _reencrypt(self) -> None:
        """Ask whether it is on us to bring encrypted values to the key of now."""
        if self._is_our_turn():
            self._reencryption.ask(self._store)

    def _sample(self) -> None:
        """Ask whether it is on us to sample how deep the queues are.

        A run of a few seconds should not count all that waits while it has jobs to run.
        """
        if time.monotonic() < self._begun_at + BUSY_SAMPLE_SECONDS and not self._book.is_empty:
            self._sample_round.due_at = self._soon(FIRST_SAMPLE_SECONDS)
        elif self._is_our_turn():
            self._sampler.ask(self._store)

    def _beat(self) -> None:
        self.fleet = self._store.beat(self._worker, running=self._book.running_count)
        if news := self._plan.durations.take_news():
            self._store.note_durations(news)
        self._taker.lanes.workers = max(1, self.fleet.workers)
        self._survey_round.every_seconds = self._survey_seconds()
        self._reclaim_round.every_seconds = self._lapse_seconds()
        shared = self.fleet.workers * FLEET_FLUSH_SECONDS
        self._count_round.every_seconds = max(FLUSH_SECONDS, shared)

    def _is_our_turn(self) -> bool:
        """Whether to do what need not be done by all: of a fleet, by a few."""
        return self._random.random() * self.fleet.workers < 1 + SPARE_LOOKS

    # -- what has a time of its own --------------------------------------------------------------
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
            self._taker.hope_everywhere()
            self._next_due_at = time.monotonic()  # or, with a jitter, come later
        return fired

    def _note_slot(self, delay_seconds: float | None) -> None:
        """Be there when the next slot comes, if no survey will tell before; also of a late one."""
        horizon = 2 * self._survey_round.every_seconds
        if delay_seconds is not None and delay_seconds < horizon and self._is_our_turn():
            self._firings.expect(delay_seconds)

    def _note_due(self, delay_seconds: float | None) -> None:
        """Promote when the next job is due; of a fleet a few do so, the others survey later."""
        if delay_seconds is not None and (delay_seconds <= 0 or self._is_our_turn()):
            self._next_due_at = min(self._next_due_at, time.monotonic() + delay_seconds)


def _in(seconds: float) -> float:
    return time.monotonic() + seconds
