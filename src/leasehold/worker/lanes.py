"""Claims from lanes: looks for those with work now and then, asks the ones whose turn it is."""

from __future__ import annotations

import random
import time
from collections import Counter, deque
from operator import attrgetter
from typing import TYPE_CHECKING

from leasehold.model.lanes import (
    HELD,
    LINE,
    SUSPECTS,
    USUAL,
    Ask,
    Look,
    line_length,
    party_of,
    read_place,
)
from leasehold.worker.ring import Ring

if TYPE_CHECKING:
    from collections.abc import Callable, Collection, Mapping, Sequence

    from leasehold.model.ids import JobId, WorkerId
    from leasehold.model.lanes import LaneSeen
    from leasehold.model.values import Claim, Only, Want
    from leasehold.store.base import Store

PARTIES = 64
LANES = 1_000
FEWEST_LANES = 8
MOST_PAGES = 10
MOST_PAUSE_SECONDS = 10.0
MOST_GATHER_SECONDS = 0.02
ENOUGH_FREED = 100
LOOK_SHARE = 50  # a look may follow after 50 times its cost: 2 % of the fleet's time
UNFILLED_SHARE = 10  # … or 10 %, when what is known does not fill the room
_NEVER = float("inf")


class Lanes:
    """One worker's view of the lanes of its queues. Used by the claimer; `free` from any thread."""

    def __init__(
        self,
        store: Store,
        worker: WorkerId,
        leases: Mapping[str, float],
        free_slots: Callable[[], int] = lambda: 1,
    ) -> None:
        self._store = store
        self._worker = worker
        self._leases = leases
        self._free_slots = free_slots  # of the worker: for so many more it has nothing to run
        self.only: Only | None = None  # what claims are narrowed to now
        self.limited: Collection[str] = ()  # the queues that have a limit
        self.workers = 1  # of the fleet: they share what looks may cost
        self.short: Collection[str] = ()  # the kinds of which a slot is taken for several at once
        self._depth: float = LINE  # of a line, as far as the last claims tell
        self._random = random.Random()
        self._ring = Ring()
        self._freed: deque[str] = deque()
        self._freed_here: set[str] = set()  # and not asked for since
        self._freed_at = _NEVER
        self._gather_seconds = 0.0
        self._is_worth_a_look = True
        self._looked_at = float("-inf")
        self._look_cost = 0.0
        self._opens_at = _NEVER
        self._cursors: dict[tuple[str, str], str] = {}  # by look: the party after which to look on
        self._pages: dict[str, str] = {}  # by party: the place after which to look on

    @property
    def is_hopeful(self) -> bool:
        """Whether a claim may find something."""
        is_known = self._is_worth_a_look or not self._ring.is_empty
        return is_known or time.monotonic() >= self.opens_at

    @property
    def opens_at(self) -> float:
        """When a lane that is closed may open, by the monotonic clock.

        Slots that are freed one by one are gathered for as long as two claims take: a claim costs
        nearly the same for one lane as for fifty.
        """
        if not self._freed:
            return self._opens_at
        patience = 0.0 if len(self._freed) >= ENOUGH_FREED else self._gather_seconds
        return min(self._opens_at, self._freed_at + patience)

    @property
    def has_freed(self) -> bool:
        """Whether a slot is free again that this worker had."""
        return bool(self._freed)

    @property
    def has_several_shares(self) -> bool:
        """Whether one share's jobs could keep another's waiting."""
        return self._ring.has_several_shares

    @property
    def has_shares(self) -> bool:
        """Whether jobs of a share wait, beside which another one's could come."""
        return self._ring.has_shares

    def hope(self) -> None:
        """Something may have come, or have been changed: look again."""
        self._is_worth_a_look = True

    def hope_in_vain(self, workers: int) -> None:
        """Jobs wait in lanes, perhaps all closed: of a large fleet only some need to look at once.

        A thousand idle workers before 20,000 closed lanes look for a quarter of one core.
        """
        pause = min(MOST_PAUSE_SECONDS, 4 * self._look_cost * workers)
        if time.monotonic() - self._looked_at >= pause:
            self._is_worth_a_look = True

    def free(self, places: Sequence[str]) -> None:
        """Jobs of these places have ended here."""
        if not self._freed:
            self._freed_at = time.monotonic()
        self._freed.extend(places)

    def top(self, queue: str) -> int | None:
        return self._ring.top(queue)

    def refresh(self, wants: Sequence[Want]) -> None:
        """Before a claim: take in what was freed, and look if there is a reason to."""
        while self._freed:
            place = self._freed.popleft()
            self._ring.free(place)
            self._freed_here.add(place)
        if self._is_look_due():
            self._look(wants)

    def claim(self, wants: Sequence[Want], limit: int) -> list[Claim]:
        """Claim what the lanes with room have, in turns; look again when that is not half of it."""
        claims = self._ask(wants, limit)
        if 2 * len(claims) >= limit:
            return claims
        look_at = self._looked_at + self._look_cost * UNFILLED_SHARE * self.workers
        if time.monotonic() < look_at:
            self._opens_at = min(self._opens_at, look_at)
            return claims
        self._look(wants)
        return claims + self._ask(wants, limit - len(claims))

    def has_open(self, wants: Sequence[Want]) -> bool:
        """Look whether a lane of these queues has work and room, for a suspect too."""
        self._look(wants)
        return not self._ring.is_empty or bool(self._open_lanes(wants, [SUSPECTS]))

    def claim_stage(self, wants: Sequence[Want], stages: Sequence[str], limit: int) -> list[Claim]:
        """Claim from a stage of its own: suspects, or jobs that others did not know."""
        lanes = self._open_lanes(wants, stages)
        asks = [Ask(lane.place, min(lane.room, limit)) for lane in lanes]
        return self._take(asks, limit) if asks else []

    @property
    def _batch(self) -> JobId | None:
        return None if self.only is None else self.only.batch

    def _open_lanes(self, wants: Sequence[Want], stages: Sequence[str]) -> list[LaneSeen]:
        looks = [Look(want.queue, stage) for want in wants for stage in stages]
        seen = self._store.look_lanes(
            self._worker, looks, parties=PARTIES, page=FEWEST_LANES, after={}, batch=self._batch
        )
        return [lane for lane in seen if lane.room > 0]

    def _is_look_due(self) -> bool:
        """Say whether something may have come; with several shares that is before each claim."""
        now = time.monotonic()
        if self._is_worth_a_look or now >= self._opens_at:
            return True
        share = 1 if self._ring.has_several_shares else LOOK_SHARE * self.workers
        rest = self._look_cost * share
        return now - self._looked_at >= rest and not self._ring.is_empty

    def _ask(self, wants: Sequence[Want], limit: int) -> list[Claim]:
        short = () if self._ring.has_several_shares else self.short
        slots = max(int(limit / self._depth), min(limit, self._free_slots())) if short else limit
        asks = self._ring.draw(wants, slots)
        if not asks:
            return []
        claims = self._take(asks, limit, short)
        taken = Counter(claim.place for claim in claims if claim.behind is None)
        self._ring.note(asks, taken)
        if short and taken:
            most = line_length(sum(ask.most for ask in asks), limit)
            self._learn_depth(most, len(claims) / taken.total())
        return interleave(claims) if self._ring.has_several_shares else claims

    def _learn_depth(self, most: int, got: float) -> None:
        """Ask for as many lines as will fill the room: not for more than lanes have jobs for."""
        if most > 1:
            self._depth = LINE if got > most / 2 else min(LINE, max(1.0, 2 * got))

    def _take(self, asks: list[Ask], limit: int, short: Collection[str] = ()) -> list[Claim]:
        started = time.monotonic()
        taken = self._store.claim_lanes(
            self._worker,
            asks,
            limit=limit,
            leases=self._leases,
            only=self.only,
            limited=self.limited,
            short=short,
        )
        self._gather_seconds = min(MOST_GATHER_SECONDS, 2 * (time.monotonic() - started))
        missed = self._freed_here.intersection(taken.busy)
        self._freed_here.difference_update([ask.place for ask in asks])
        if missed:  # else nobody may see the slot: who had the key counted before it was free
            self.free(sorted(missed))
        return taken.claims

    def _look(self, wants: Sequence[Want]) -> None:
        """Look at the lanes of these queues, some pages further when all of a page are closed."""
        started = time.monotonic()
        self._is_worth_a_look = False
        self._opens_at = _NEVER
        self._ring.begin_look()
        queues = [want.queue for want in wants]
        for _ in range(MOST_PAGES):
            seen = self._look_at_page(queues)
            for lane in self._in_order(seen):
                self._note_lane(lane, started)
            if not self._ring.is_empty or not (self._cursors or self._pages):
                break
        self._looked_at = time.monotonic()
        self._look_cost = self._looked_at - started

    def _in_order(self, seen: list[LaneSeen]) -> list[LaneSeen]:
        """Line them up by age, since what came together stands together in the tables.

        Each look begins somewhere in the line: workers that all began with the same would collide.
        """
        line = sorted(seen, key=attrgetter("age_seconds"), reverse=True)
        first = self._random.randrange(len(line)) if line else 0
        return line[first:] + line[:first]

    def _look_at_page(self, queues: Sequence[str]) -> list[LaneSeen]:
        known = max(1, len(self._pages))
        page = max(FEWEST_LANES, LANES // known)
        seen = self._store.look_lanes(
            self._worker,
            [
                Look(queue, stage, self._cursors.get((queue, stage), ""))
                for queue in queues
                for stage in (USUAL, HELD)
            ],
            parties=PARTIES,
            page=page,
            after=self._pages,
            batch=self._batch,
        )
        if self._batch is None:  # else all of them were seen
            self._turn_page(seen, page)
        return seen

    def _turn_page(self, seen: Sequence[LaneSeen], page: int) -> None:
        """Remember where to look on: after the last party, and in each after its last lane."""
        lanes = Counter(party_of(lane.place) for lane in seen)
        last = {party_of(lane.place): lane.place for lane in seen}
        self._pages = {party: last[party] for party, count in lanes.items() if count >= page}
        parties = Counter(_look_of(last[party]) for party in lanes)
        ends = {_look_of(place): party for party, place in last.items()}
        self._cursors = {look: ends[look] for look, count in parties.items() if count >= PARTIES}

    def _note_lane(self, lane: LaneSeen, now: float) -> None:
        if lane.room > 0:
            self._ring.learn(lane)
            return
        self._ring.note_share(lane)
        if lane.opens_seconds is not None:
            self._opens_at = min(self._opens_at, now + max(0.001, lane.opens_seconds))


def _look_of(place: str) -> tuple[str, str]:
    """Say by which look a place was seen: its queue's, of the usual stage or of tenants' own."""
    queue, stage, *_ = read_place(place)
    return queue, HELD if stage.startswith(HELD) else stage


def interleave(claims: list[Claim]) -> list[Claim]:
    """Spread each share's jobs evenly over the batch: they start in this order."""
    counts = Counter(party_of(claim.place) for claim in claims)
    seen: Counter[str] = Counter()
    placed: list[tuple[float, int, Claim]] = []
    for number, claim in enumerate(claims):
        party = party_of(claim.place)
        placed.append(((seen[party] + 0.5) / counts[party], number, claim))
        seen[party] += 1
    return [claim for _, _, claim in sorted(placed, key=lambda each: each[:2])]
