"""The ground that random operations run on: a store, the model beside it, and what was claimed."""

from __future__ import annotations

import contextlib
from typing import TYPE_CHECKING, Any

from hypothesis.stateful import RuleBasedStateMachine, invariant, precondition

from leasehold.errors import BatchNotFound, BatchSealed, IdConflict, KeyHeld
from leasehold.model.ids import Fence, uuid7
from leasehold.model.values import NewJob, TaskPolicy
from tests.conformance.kit import raw
from tests.properties import invariants
from tests.properties.choices import HOSTS, KEYS, KNOWN, MOST_OF_A_KEY, SOMEBODY, UNIT
from tests.properties.compare import Comparison
from tests.properties.model import Model

if TYPE_CHECKING:
    from collections.abc import Callable

    from leasehold.model.ids import JobId, WorkerId
    from leasehold.model.states import State
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
        self.model = self.make_model()
        self.model.limits = dict.fromkeys(KEYS, MOST_OF_A_KEY)
        self.comparison = Comparison(self.store, self.model)
        self.ids: list[JobId] = []
        self.asked: dict[JobId, NewJob] = {}
        self.claims: list[tuple[WorkerId, Claim]] = []
        self.seen: list[tuple[Lapsed, float]] = []  # with the model's idea of `until`
        self.retries: dict[str, set[int]] = {}
        self.buried: set[tuple[JobId, Fence]] = set()  # leases of deleted jobs
        self.fence = Fence(0)

    def make_model(self) -> Model:
        return Model(fragile=["fragile"])

    def teardown(self) -> None:
        with contextlib.closing(self.store):
            for job_id in self.ids:
                self.comparison.check_one(job_id)

    def register(self) -> None:
        policies = [
            TaskPolicy(
                kind=kind,
                queue="a",
                priority=0,
                max_attempts=5,
                timeout_seconds=UNIT,
                dies_on_lapse=kind == "fragile",
            )
            for kind in KNOWN
        ]
        self.store.register(SOMEBODY, policies, [HOSTS])

    def new_job(self, chance: int, options: dict[str, Any]) -> NewJob:
        number = len(self.ids)
        job_id = uuid7(1_700_000_000_000, chance.to_bytes(2, "big") + number.to_bytes(8, "big"))
        job = NewJob(id=job_id, args=raw({"number": number}), **options)
        self.ids.append(job_id)
        self.asked[job_id] = job
        return job

    def job(self, pick: int) -> JobId:
        return self.ids[pick % len(self.ids)]

    def concerned(self, pick: int, *states: State) -> JobId:
        """Pick a job in one of these states, if there is any, and now and then another one."""
        jobs = [job_id for job_id, each in self.model.jobs.items() if each.state in states]
        return jobs[pick % len(jobs)] if jobs and pick % 4 else self.job(pick)

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

    # -- what holds after each -------------------------------------------------------------------
    @invariant()
    def shows_what_the_model_shows(self) -> None:
        self.comparison.check()

    @invariant()
    def keeps_its_invariants(self) -> None:
        claims = {
            (str(claim.job_id), int(claim.fence))
            for _, claim in self.claims
            if (claim.job_id, claim.fence) not in self.buried
        }
        invariants.check(self.tables, claims=claims, retries=self.retries)
        invariants.check_key_rows(self.tables, self.model.keys.shown())


def attempt(act: Callable[[Any], object], subject: object) -> object:
    """Return what it returned, or what it refused: an id, a key, a batch."""
    try:
        return act(subject)
    except IdConflict as conflict:
        return ("conflict", frozenset(conflict.job_ids))
    except KeyHeld as held:
        return ("held", held.job_id, held.key, held.holder)
    except BatchNotFound as missing:
        return ("not found", missing.batch_id)
    except BatchSealed as closed:
        return ("sealed", closed.batch_id, closed.status)
