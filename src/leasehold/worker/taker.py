"""Takes leases, of ready jobs, lanes, suspects and parked ones, and hands them to the runners."""

from __future__ import annotations

import random
import time
from itertools import groupby
from typing import TYPE_CHECKING

from msgspec import structs

from leasehold.model.lanes import SUSPECTS, parked
from leasehold.model.outcomes import Released
from leasehold.model.values import Want
from leasehold.placing import is_laned
from leasehold.worker.attempt import with_following
from leasehold.worker.lanes import Lanes

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from leasehold.model.ids import WorkerId
    from leasehold.model.values import Claim, Only, Survey
    from leasehold.registry import Registry
    from leasehold.store.base import Store
    from leasehold.worker.attempt import Attempt
    from leasehold.worker.book import Book
    from leasehold.worker.conclusion import Conclusion
    from leasehold.worker.intake import Intake
    from leasehold.worker.pace import Pace
    from leasehold.worker.plan import Plan
    from leasehold.worker.runners import Runners
    from leasehold.worker.settings import Settings

# Of what is claimed ahead: a share that just came, or what is ready, must not wait behind 0.1 s of
# other jobs; and throttled jobs that wait here have slots that other workers could use.
AHEAD_OF_LANES = 0.025
AHEAD_OF_SLOTS = 0.2


class Taker:
    """Used by the claimer's thread alone; `lanes.free` from any."""

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
        pace: Pace,
        plan: Plan,
        intake: Intake,
    ) -> None:
        self._store = store
        self._worker = worker
        self._tasks = {task.name: task for task in registry}
        self._settings = settings
        self._book = book
        self._runners = runners
        self._conclusion = conclusion
        self._pace = pace
        self._plan = plan
        self._intake = intake
        self._random = random.Random()
        self.only: Only | None = None
        self.lanes = Lanes(store, worker, settings.leases, self._free_slots)
        self.uses_lanes = any(is_laned(task.options) for task in registry)
        self.agings: dict[str, float] = {}  # by queue, as the last survey said …
        self.rooms: dict[str, int] = {}  # … and what it said of queues with a limit
        self.is_ready_hopeful = True  # whether something may be ready …
        self._none_from: dict[str, int] = {}  # … but nothing of these priorities on, by queue
        self._had = {"ready": True, "lanes": True}
        self._is_ready_first = True
        self.is_held_up = False  # there is work, and no room for it until a job ends here
        self.is_after_suspects = False  # one came at the last look: there may be more

    @property
    def is_hopeful(self) -> bool:
        """Whether a claim may find something that fits in here."""
        return not self.is_held_up and (self.is_ready_hopeful or self._are_lanes_hopeful)

    @property
    def _are_lanes_hopeful(self) -> bool:
        if not self.uses_lanes:
            return False
        return self.lanes.is_hopeful or (self.lanes.has_freed and self._book.is_empty)

    @property
    def _may_more_be_ready(self) -> bool:
        """Whether jobs may be ready beside those in lanes, of no lower priority in their queue."""
        queues = self._settings.queues
        return self.is_ready_hopeful and not all(queue in self._none_from for queue in queues)

    def hope(self) -> None:
        """Something may have become ready."""
        self.is_ready_hopeful = True
        self._none_from.clear()

    def hope_everywhere(self) -> None:
        """Something may have become ready, or have gone to a lane."""
        self.hope()
        self.lanes.hope()

    def has_open_lanes(self) -> bool:
        """Whether a lane has a job that may start now."""
        self._narrow()
        wants = self._wants(self._settings.slots)
        not_full = [want for want in wants if self.rooms.get(want.queue) != 0]
        return self.uses_lanes and self.lanes.has_open(not_full)

    # -- what to take ----------------------------------------------------------------------------
    def take_some(self, room: int) -> int:
        """Take up to so many of what may run; lanes only where they are in use."""
        room = self._plan.room(room)
        taken = 0
        if long_ones := min(room, self._plan.begin_long(self._tasks, self._settings.slots)):
            taken = self._take_what_may_run(long_ones)
            self._plan.end_long()
            self.hope()
            self.lanes.hope()
        return taken + self._take_what_may_run(room - taken)

    def _take_what_may_run(self, room: int) -> int:
        self.is_held_up = False
        self._narrow()
        if not self._are_lanes_hopeful:
            return self._take_all_ready(self._wants(room), room)
        room = min(room, self._pace.room(self._book.open_count, ahead_share=self._ahead_share))
        self.is_held_up = room <= 0
        return self._take_in_turns(room) if room > 0 else 0

    @property
    def _ahead_share(self) -> float:
        """How much of what may be claimed ahead may come out of lanes, or beside them."""
        if self.lanes.has_shares or self._may_more_be_ready:
            return AHEAD_OF_LANES
        return 1.0 if self.lanes.short else AHEAD_OF_SLOTS

    def learn(self, seen: Survey) -> None:
        """Take in what a survey said of the queues."""
        self.agings = seen.agings
        self.rooms = seen.rooms
        self.lanes.limited = seen.rooms.keys()

    def _narrow(self) -> Only | None:
        """Note what claims are narrowed to now: to a batch, to what still fits into the budget."""
        self.only = self.lanes.only = self._plan.only(self._tasks)
        self.lanes.short = self._short_kinds()
        return self.only

    def _short_kinds(self) -> list[str]:
        """Name the kinds of which several may run one after the other in a throttle's slot.

        None while anything but the throttle says how many of them may be taken.
        """
        if not self.uses_lanes or self._plan.is_narrow or self.rooms or self._settings.queue_slots:
            return []
        return [kind for kind in self._tasks if self._plan.durations.is_short(kind)]

    def _free_slots(self) -> int:
        return max(1, self._settings.slots - self._book.open_slots())

    def take_suspect(self) -> int:
        """Take a job that lapsed before, alone and one at a time: it may kill its worker."""
        if self._book.suspects > 0:
            return 0  # the last one is not through: that says nothing of the next
        taken = self._take_suspect()
        self.is_after_suspects = taken > 0
        return taken

    def _take_suspect(self) -> int:
        wants = self._wants(1)
        if self._room() <= 0 or not wants:
            return 0
        only = self._narrow()
        taken = self._take(
            lambda: self._store.claim(
                self._worker,
                wants,
                limit=1,
                leases=self._settings.leases,
                is_for_suspects=True,
                only=only,
            )
        )
        if taken == 0 and self.uses_lanes:
            return self._take(lambda: self.lanes.claim_stage(wants, [SUSPECTS], 1))
        return taken

    def take_parked(self) -> int:
        """Take what other workers did not know."""
        room = min(self._settings.slots, self._room())
        wants = self._wants(room) if room > 0 else []
        if not wants:
            return 0
        only = self._narrow()
        taken = self._take(
            lambda: self._store.claim_parked(
                self._worker, wants, limit=room, leases=self._settings.leases, only=only
            )
        )
        if taken < room and self.uses_lanes:
            stages = [parked(kind) for kind in self._tasks]
            left = room - taken
            taken += self._take(lambda: self.lanes.claim_stage(wants, stages, left))
        return taken

    def _take_in_turns(self, room: int) -> int:
        """Take from ready and lanes, queue by queue in the order wanted."""
        wants = self._wants(room)
        self.is_held_up = not wants
        self.lanes.refresh(wants)
        taken = 0
        for has_lanes, alike in groupby(wants, lambda want: self.lanes.top(want.queue) is not None):
            group = list(alike)
            if not has_lanes:
                taken += self._take_all_ready(group, room - taken)
            for want in group if has_lanes else []:
                taken += self._take_levels(want, min(want.limit, room - taken))
        if taken == 0 and not self.is_ready_hopeful:
            # What is left in lanes is of queues that are full here: else it would spin.
            self.is_held_up = all(self.lanes.top(want.queue) is None for want in wants)
        return taken

    def _take_levels(self, want: Want, room: int) -> int:
        """Take from one queue, the highest priority first, at the same one in turns."""
        taken = 0
        done = None  # a level that gave nothing but stays open is another worker's just now
        while taken < room and (top := self.lanes.top(want.queue)) not in {None, done}:
            taken += self._take_ready([structs.replace(want, least=top + 1)], room - taken)
            got = self._take_level(structs.replace(want, least=top), room - taken)
            done = top if got == 0 else None
            taken += got
            if 2 * taken >= room:
                return taken  # a claim costs much besides its rows: the rest is for the next one
        return taken + self._take_all_ready([want], room - taken)

    def _take_level(self, want: Want, room: int) -> int:
        """Take what is ready and what the lanes have, half of each while both have something."""
        sources = [("ready", self._take_ready), ("lanes", self._take_lanes)]
        first, second = sources if self._is_ready_first else sources[::-1]
        self._is_ready_first = not self._is_ready_first
        taken = 0
        part = (room + 1) // 2 if self._had[second[0]] else room
        for (name, take), most in ((first, part), (second, room), (first, room)):
            if taken < room:
                got = take([want], min(most, room - taken))
                self._had[name] = got > 0
                taken += got
        return taken

    def _take_lanes(self, wants: Sequence[Want], limit: int) -> int:
        return self._take(lambda: self.lanes.claim(wants, limit)) if limit > 0 else 0

    def _take_all_ready(self, wants: Sequence[Want], limit: int) -> int:
        """Take what is ready, of any priority; nothing of it is a reason not to ask again soon."""
        if limit <= 0:
            return 0
        taken = self._take_ready(wants, limit)
        self.is_ready_hopeful = taken > 0
        return taken

    def _take_ready(self, wants: Sequence[Want], limit: int) -> int:
        hopeful = [want for want in wants if self._may_have(want)]
        if not hopeful or limit <= 0:
            return 0
        only = self.only
        taken = self._take(
            lambda: self._store.claim(
                self._worker, hopeful, limit=limit, leases=self._settings.leases, only=only
            )
        )
        if taken == 0:
            for want in hopeful:
                if want.least is not None:
                    self._none_from[want.queue] = want.least
        return taken

    def _may_have(self, want: Want) -> bool:
        """Whether a claim of that priority on has not just been in vain."""
        none_from = self._none_from.get(want.queue)
        is_known = want.least is not None and none_from is not None and want.least >= none_from
        return self.is_ready_hopeful and not is_known

    def _wants(self, room: int) -> list[Want]:
        limits = self._settings.queue_slots
        wants = []
        for queue in self._settings.queue_order(self._random):
            limit = min(room, limits[queue] - self._book.open_in(queue)) if limits else room
            if limit > 0:
                aging = self.agings.get(queue)
                wants.append(Want(queue, limit, None, aging, is_limited=queue in self.rooms))
        return wants

    def _room(self) -> int:
        return self._plan.room(self._pace.room(self._book.open_count))

    # -- taking ----------------------------------------------------------------------------------
    def _take(self, claim: Callable[[], list[Claim]]) -> int:
        self._intake.settle_fresh_doubt(self._store)
        asked_at = time.monotonic()
        claims = claim()
        return self._intake.start(self._store, claims, asked_at) if claims else 0

    def hand_back_stale(self) -> None:
        """Give others what has waited here for a third of its lease without starting.

        And what waits behind a job that was thought to be short and is not.
        """
        now = time.monotonic()
        held = self._book.held()
        for attempt in held:
            if attempt.is_in_the_way(now):
                self._part(attempt)
        if any(each.is_stale(now) for each in held):
            self._release(self._runners.recall())

    def _part(self, attempt: Attempt) -> None:
        """Hand back what stands behind a job, which has their slot from then on."""
        if self._store.hold_slot(self._worker, attempt.held()):
            attempt.has_slot = True
            following = self._book.part(attempt)
            self._release(with_following([following] if following else []))

    def _release(self, attempts: Sequence[Attempt]) -> None:
        for attempt in attempts:
            self._conclusion.outcome(attempt, Released())
