"""Random operations on throttled jobs: claims out of lanes, limits, pauses of keys and queues."""

from __future__ import annotations

from typing import TYPE_CHECKING

from hypothesis import strategies as st
from hypothesis.stateful import precondition, rule

from leasehold.model.lanes import Pause, RuleChange, parked
from leasehold.model.values import Held
from tests.properties.choices import (
    KNOWN,
    MOST_EVER,
    MOST_OF_A_KEY,
    QUEUES,
    UNIT,
    keys,
    pausable,
    picks,
    workers,
)
from tests.properties.claiming import Claiming
from tests.properties.ground import some

if TYPE_CHECKING:
    from leasehold.model.ids import Fence, JobId, WorkerId
    from leasehold.model.values import Claim


class LaneRules(Claiming):
    """What can happen to lanes; the machine has the rest."""

    @some("waiting")
    @rule(
        worker=workers,
        order=st.permutations(range(MOST_EVER)),
        limit=st.integers(1, 3),
        most=st.integers(1, 2),
    )
    def claim_lanes(self, worker: WorkerId, order: list[int], limit: int, most: int) -> None:
        """Claim some out of some lanes in any order, by a worker that knows every kind."""
        lanes = self.model.lanes()
        chosen = [lanes[number] for number in order if number < len(lanes)][:2]
        self.do_claim_lanes(worker, chosen, limit, most)

    @some("waiting")
    @rule(worker=workers)
    def claim_all_lanes_and_park(self, worker: WorkerId) -> None:
        """Claim what all lanes have room for, by a worker that does not know every kind."""
        lanes = [lane for lane in self.model.lanes() if lane.stage != parked("strange")]
        taken: list[Claim] = []
        fences: dict[JobId, Fence] = {}
        # A store may stop at what it sets aside: what stood behind that comes with the next claim.
        for _ in range(1 + self.count_live()):
            some = self.ask(worker, lanes, 1000, 1000, KNOWN)
            fences |= self.next_fences(some)
            taken += some
        wanted = self.model.claim_lanes(
            worker,
            lanes,
            limit=1000,
            most=1000,
            kinds=KNOWN,
            lease_seconds=UNIT,
            fences=fences,
        )
        # It may also set aside what there was no room for.
        aside = {row["job_id"] for row in self.tables.rows("waiting") if row["stage"][:1] == "="}
        self.model.set_aside(lanes, KNOWN, {str(job_id) for job_id in aside})
        taken.sort(key=lambda claim: wanted.index(claim.job_id) if claim.job_id in wanted else -1)
        self.note(worker, taken, wanted)

    @some("waiting")
    @rule(key=keys, running=st.integers(1, MOST_OF_A_KEY))
    def limit(self, key: str, running: int) -> None:
        self.store.change_throttle(key, RuleChange(running=running, by="Ada"))
        self.model.limits[key] = running

    @precondition(lambda self: self.count_live() > 1)
    @rule(name=pausable, pause=st.sampled_from([UNIT, 2 * UNIT, None]))
    def pause(self, name: str, pause: float | None) -> None:
        """Pause a throttle's key or a queue, for a time or until it is resumed."""
        is_queue = name in QUEUES
        act = self.store.pause_queue if is_queue else self.store.pause_throttle
        act(name, Pause(seconds=pause, by="Ada"))
        self.model.pause(name, pause)

    @precondition(lambda self: self.model.paused)
    @rule(pick=picks)
    def resume(self, pick: int) -> None:
        name = sorted(self.model.paused)[pick % len(self.model.paused)]
        act = self.store.resume_queue if name in QUEUES else self.store.resume_throttle
        assert act(name) == self.model.resume(name)

    @precondition(lambda self: any(claim.place for _, claim in self.claims))
    @rule(pick=picks, count=st.sampled_from([1, 2]))
    def pause_from_inside(self, pick: int, count: int) -> None:
        """Pause the key of a job, as its handler does, living or stale."""
        laned = [(worker, claim) for worker, claim in self.claims if claim.place]
        worker, claim = laned[-1 - pick % min(4, len(laned))]
        lease = Held(claim.job_id, claim.fence, UNIT)
        was_paused = self.store.pause_lane(worker, lease, Pause(seconds=count * UNIT))
        assert was_paused == self.model.extend_pause(
            worker, claim.job_id, claim.fence, count * UNIT
        )

    @precondition(lambda self: any(claim.place for _, claim in self.claims))
    @rule(pick=picks, name=keys)
    def pause_from_outside_and_inside(self, pick: int, name: str) -> None:
        """Let a handler pause a key for less than people just have."""
        self.pause(name, 2 * UNIT)
        self.pause_from_inside(pick, 1)
