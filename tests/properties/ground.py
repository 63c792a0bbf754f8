"""The ground that random operations run on: a store, the model beside it, and what was claimed."""

from __future__ import annotations

import contextlib
from typing import TYPE_CHECKING, Any

from hypothesis.stateful import RuleBasedStateMachine, precondition

from leasehold.model.ids import Fence, uuid7
from leasehold.model.values import NewJob
from tests.conformance.kit import raw
from tests.properties.choices import KEYS, MOST_OF_A_KEY
from tests.properties.compare import Comparison
from tests.properties.model import Model

if TYPE_CHECKING:
    from collections.abc import Callable

    from leasehold.model.ids import JobId, WorkerId
    from leasehold.model.values import Claim, Lapsed
    from leasehold.store.base import Store
    from tests.conformance.tables import Tables


def some(*places: str) -> Callable[[Callable[..., None]], Callable[..., None]]:
    """Offer a rule only while some job stands there: steps that can't do anything teach nothing."""
    return precondition(
        lambda self: any(record.place in places for record in self.model.jobs.values())
    )


class Ground(RuleBasedStateMachine):
    """One example: a fresh store and a fresh model."""

    def __init__(self, open_store: Callable[[], Store], tables: Tables) -> None:
        super().__init__()
        self.tables = tables
        self.store = open_store()
        self.model = Model(fragile=["fragile"])
        self.model.limits = dict.fromkeys(KEYS, MOST_OF_A_KEY)
        self.comparison = Comparison(self.store, self.model)
        self.ids: list[JobId] = []
        self.asked: dict[JobId, NewJob] = {}
        self.claims: list[tuple[WorkerId, Claim]] = []
        self.seen: list[tuple[Lapsed, float]] = []  # with the model's idea of `until`
        self.retries: dict[str, set[int]] = {}
        self.buried: set[tuple[JobId, Fence]] = set()  # leases of deleted jobs
        self.fence = Fence(0)

    def teardown(self) -> None:
        with contextlib.closing(self.store):
            for job_id in self.ids:
                self.comparison.check_one(job_id)

    def new_job(self, chance: int, options: dict[str, Any]) -> NewJob:
        number = len(self.ids)
        job_id = uuid7(1_700_000_000_000, chance.to_bytes(2, "big") + number.to_bytes(8, "big"))
        job = NewJob(id=job_id, args=raw({"number": number}), **options)
        self.ids.append(job_id)
        self.asked[job_id] = job
        return job

    def job(self, pick: int) -> JobId:
        return self.ids[pick % len(self.ids)]

    def a_claim(self, pick: int) -> tuple[WorkerId, Claim]:
        """Pick a claim that was ever made, the newest most often: old ones are stale writers."""
        newest = self.claims[-4:]
        return newest[pick % len(newest)] if pick % 3 else self.claims[pick % len(self.claims)]

    def is_some_scheduled(self) -> bool:
        return any(record.place == "scheduled" for record in self.model.jobs.values())

    def count_live(self) -> int:
        return sum(bool(record.place) for record in self.model.jobs.values())

    def next_fences(self, taken: list[Claim]) -> dict[JobId, Fence]:
        """Take the store's numbers for this call: greater than any of the calls before."""
        fences = {claim.job_id: claim.fence for claim in taken}
        assert all(fence > self.fence for fence in fences.values()), "fences only grow"
        self.fence = max(fences.values(), default=self.fence)
        return fences

    def note(self, worker: WorkerId, taken: list[Claim], wanted: list[JobId]) -> None:
        assert [claim.job_id for claim in taken] == wanted
        self.claims += [(worker, claim) for claim in taken]
