"""Lanes of the model: what its key has room for, in turn; and pauses."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

from leasehold.model.ids import Fence
from leasehold.model.lanes import parked
from tests.properties.choices import UNIT
from tests.properties.core_model import MOMENT_SECONDS, NO_FENCE, Core

if TYPE_CHECKING:
    from collections.abc import Collection, Mapping, Sequence

    from leasehold.model.ids import JobId, WorkerId
    from leasehold.model.lanes import Place


class Lanes(Core):
    """The part of the model that claims by lanes, and pauses."""

    def lanes(self) -> list[Place]:
        """List the lanes with work as a look does: by queue and stage, highest priority first."""
        found = {
            record.lane
            for record in self.jobs.values()
            if record.place == "waiting" and not record.is_behind
        }
        return sorted(found, key=lambda lane: (lane.queue, lane.stage, -lane.priority, lane.lane))

    def claim_lanes(
        self,
        worker: WorkerId,
        lanes: Sequence[Place],
        *,
        limit: int,
        most: int,
        kinds: Collection[str],
        lease_seconds: float,
        fences: Mapping[JobId, Fence],
    ) -> list[JobId]:
        """Take from each lane in turn what its key has room for; unknown kinds are set aside.

        Of what was set aside before, a suspect comes alone, when there is nothing else.
        """
        self._tick()
        taken: list[JobId] = []
        later: list[JobId] = []
        for lane in lanes:
            enough = min(limit, len(taken) + most)
            for job_id in self._in_line(lane):
                record = self.jobs[job_id]
                if len(taken) >= enough or self.room(lane) <= 0:
                    break
                if record.is_aside and record.lapses > 0:
                    later.append(job_id)
                elif record.asked.kind in kinds:
                    self._lease(record, worker, fences.get(job_id, NO_FENCE), lease_seconds)
                    taken.append(job_id)
                else:
                    record.stage = parked(record.asked.kind)
        for job_id in later[:1] if not taken else ():
            self._lease(self.jobs[job_id], worker, fences.get(job_id, NO_FENCE), lease_seconds)
            taken.append(job_id)
        return taken

    def set_aside(
        self, lanes: Sequence[Place], kinds: Collection[str], aside: Collection[str]
    ) -> None:
        """Set aside these, as far as a claim of these lanes by who knows these kinds may do so."""
        for lane in lanes:
            for job_id in self._in_line(lane):
                kind = self.jobs[job_id].asked.kind
                if str(job_id) in aside and kind not in kinds and not self.is_paused(lane.queue):
                    self.jobs[job_id].stage = parked(kind)

    def _in_line(self, lane: Place) -> list[JobId]:
        return sorted(
            (
                job_id
                for job_id, record in self.jobs.items()
                if record.place == "waiting" and record.lane == lane
            ),
            key=lambda job_id: (self.jobs[job_id].created, job_id),
        )

    def room(self, lane: Place) -> int:
        """Say how many more of its key may start now."""
        if self.is_paused(lane.lane) or self.is_paused(lane.queue):
            return 0
        running = sum(
            record.place == "lease" and record.asked.lane == lane.lane
            for record in self.jobs.values()
        )
        return self.limits[lane.lane] - running

    def pause(self, name: str, seconds: float | None) -> None:
        self._tick()
        self.paused[name] = self.now + (math.inf if seconds is None else seconds)

    def extend_pause(self, worker: WorkerId, job_id: JobId, fence: Fence, seconds: float) -> bool:
        """Pause the key of a running job, at the word of who holds its lease."""
        self._tick()
        record = self.jobs.get(job_id)
        lease = record.lease if record else None
        if not record or not lease or not record.asked.lane:
            return False
        if (lease.fence, lease.worker) != (fence, worker):
            return False
        name = record.asked.lane
        self.paused[name] = max(self.paused.get(name, 0.0), self.now + seconds)
        return True

    def resume(self, name: str) -> bool:
        """End a pause; True when one stood."""
        self._tick()
        was_paused = self.is_paused(name)
        self.paused.pop(name, None)
        return was_paused

    def pauses(self) -> dict[str, float]:
        """Say how many whole units each pause still lasts."""
        return {
            name: until if until == math.inf else round((until - self.now) / UNIT)
            for name, until in self.paused.items()
            if self.is_paused(name)
        }

    def is_paused(self, name: str) -> bool:
        # One that ends this moment is over: the store's clock goes on, and sums are not exact.
        return self.paused.get(name, 0.0) > self.now + MOMENT_SECONDS / 2
