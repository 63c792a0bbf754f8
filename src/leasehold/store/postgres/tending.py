"""What workers do beside running jobs: promote, take back, release, and show that they live."""

from __future__ import annotations

from datetime import timedelta
from typing import TYPE_CHECKING, Any

import msgspec

from leasehold.model.needs import Predecessor, Released
from leasehold.model.states import State
from leasehold.model.values import Fleet, Lapsed, Promotion, Survey, TaskPolicy, WorkerInfo
from leasehold.store.postgres import rows
from leasehold.store.sql import load

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from leasehold.model.ids import JobId, WorkerId
    from leasehold.model.lanes import Rule
    from leasehold.store.postgres.claiming import Claims
    from leasehold.store.postgres.connection import Shielded
    from leasehold.store.postgres.leases import Leases
    from leasehold.store.postgres.needing import Dependents

PACKAGE = "leasehold.store.postgres"

_encode = msgspec.json.Encoder().encode


class Tending:
    """The part of the store that keeps jobs moving, and knows the workers."""

    skew_seconds: float
    _dependents: Dependents

    @property
    def _skew(self) -> timedelta:
        raise NotImplementedError

    def _run(self, sql: str, **parameters: Any) -> list[Any]:
        raise NotImplementedError

    def _lend(self) -> Shielded:
        raise NotImplementedError

    def _leases(self, worker: WorkerId | None) -> Leases:
        raise NotImplementedError

    def _all_claims(self) -> list[Claims]:
        raise NotImplementedError

    def notify(self, arrivals: Mapping[str, int]) -> None:
        raise NotImplementedError

    def survey(self, queues: Sequence[str], kinds: Sequence[str]) -> Survey:
        found = self._run(
            load(PACKAGE, "survey"), queues=list(queues), kinds=list(kinds), skew=self._skew
        )
        return Survey(*found[0])

    def promote(self, *, limit: int) -> Promotion:
        found = self._run(load(PACKAGE, "promote"), limit=limit, skew=self._skew)
        promotion = Promotion(*found[0])
        if promotion.count > promotion.in_lanes:  # these have older places
            for claims in self._all_claims():
                claims.look_from_head()
        return promotion

    def hand_over(self, *, limit: int) -> int:
        found = self._run(load(PACKAGE, "hand_over"), limit=limit, skew_seconds=self.skew_seconds)
        return int(found[0][0])

    def lapsed(self, *, limit: int) -> list[Lapsed]:
        return self._leases(None).lapsed(limit)

    def reclaim(self, leases: Sequence[tuple[Lapsed, float]]) -> dict[JobId, State]:
        return self._leases(None).reclaim(leases)

    def register(
        self, worker: WorkerInfo, tasks: Sequence[TaskPolicy], rules: Sequence[Rule] = ()
    ) -> None:
        described = {
            "id": worker.id,
            "name": worker.name,
            "queues": list(worker.queues),
            "kinds": list(worker.kinds),
            "slots": worker.slots,
            "version": worker.version,
            "skew": self._skew,
        }
        known = {"tasks": _encode(tasks).decode(), "skew": self._skew}
        declared = {"rules": _encode(rules).decode(), "skew": self._skew}
        with self._lend() as connection, connection.transaction():
            connection.execute(load(PACKAGE, "register_worker").encode(), described)
            connection.execute(load(PACKAGE, "register_tasks").encode(), known)
            connection.execute(load(PACKAGE, "register_retention").encode(), known)
            connection.execute(load(PACKAGE, "register_rules").encode(), declared)

    def beat(self, worker: WorkerId, *, running: int) -> Fleet:
        found = self._run(load(PACKAGE, "beat"), id=worker, running=running, skew=self._skew)
        return Fleet(
            max((workers for _, workers, _ in found), default=1),
            {queue: with_room for queue, _, with_room in found},
        )

    def farewell(self, worker: WorkerId) -> None:
        self._run(load(PACKAGE, "farewell"), id=worker, skew=self._skew)

    def workers(self) -> list[WorkerInfo]:
        return [rows.worker(row) for row in self._run(load(PACKAGE, "workers"))]

    def tend(self) -> None:
        for chore in ("strike_off_workers", "forget_workers", "tidy_lanes", "take_in_charges"):
            self._run(load(PACKAGE, chore), skew=self._skew)

    # -- jobs that wait for others -----------------------------------------------------------------
    def release_dependents(self, ended: Sequence[JobId]) -> Released:
        return self._tell_of(self._dependents.release(ended))

    def sweep_dependents(self, *, limit: int) -> Released:
        return self._tell_of(self._dependents.sweep(limit))

    def predecessors(self, job_id: JobId) -> list[Predecessor]:
        return self._dependents.predecessors(job_id)

    def dependents(self, job_id: JobId, *, limit: int = 50) -> list[JobId]:
        return self._dependents.dependents(job_id, limit)

    def _tell_of(self, released: Released) -> Released:
        if released.arrivals:
            for claims in self._all_claims():  # these have older places
                claims.look_from_head()
            self.notify(released.arrivals)
        return released
