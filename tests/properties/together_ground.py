"""The ground for jobs that belong together, and what the rules draw there."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from hypothesis import strategies as st
from hypothesis.stateful import invariant

from leasehold.model.batches import BatchFilter
from tests.conformance.kit import raw
from tests.properties.choices import KEYS, UNIT
from tests.properties.lease_rules import LeaseRules
from tests.properties.together_model import TogetherModel

if TYPE_CHECKING:
    from collections.abc import Iterable

    from leasehold.model.batches import BatchInfo, Followed
    from leasehold.model.ids import JobId, WorkerId
    from leasehold.model.values import Claim, NewJob
    from tests.properties.batch_model import Batch, Came

MOST_TOGETHER = 6  # live jobs
MOST_BATCHES = 3
CALLBACK = {
    "kind": "plain",
    "queue": "b",
    "priority": 0,
    "max_attempts": 2,
    "timeout_seconds": UNIT,
}
ON_END = raw(CALLBACK)
ON_FAILURE = raw(CALLBACK | {"priority": 1})

member_options = st.fixed_dictionaries(
    {
        "kind": st.sampled_from(["plain", "plain", "fragile"]),
        "queue": st.just("a"),
        "priority": st.just(0),
        "max_attempts": st.sampled_from([1, 2]),
        "timeout_seconds": st.just(3 * UNIT),
        "tenant": st.sampled_from([*[""] * 7, "acme"]),
        "delay_seconds": st.sampled_from([None, None, UNIT]),
        "lane": st.sampled_from([None, None, KEYS[0]]),
    }
)


class TogetherGround(LeaseRules):
    """A store and a model that knows what follows from ends."""

    model: TogetherModel

    def make_model(self) -> TogetherModel:
        return TogetherModel(fragile=["fragile"])

    def new_job(self, chance: int, options: dict[str, Any]) -> NewJob:
        """Let every second one call back when it has ended."""
        return super().new_job(chance, {"on_end": ON_END if chance % 2 else None} | options)

    def job(self, pick: int) -> JobId:
        """Pick a job, a callback as well."""
        known = list(dict.fromkeys([*self.ids, *self.model.jobs]))
        return known[pick % len(known)]

    def note(self, worker: WorkerId, taken: list[Claim], wanted: list[JobId]) -> None:
        """Take a claim of everything as it comes: callbacks of one end or step have no order."""
        place = {job_id: number for number, job_id in enumerate(wanted)}
        super().note(worker, sorted(taken, key=lambda each: place.get(each.job_id, -1)), wanted)

    def batch(self, pick: int) -> JobId:
        known = list(self.model.batches.rows)
        return known[pick % len(known)]

    def has_room(self) -> bool:
        return self.count_live() < MOST_TOGETHER

    @invariant()
    def batches_are_what_the_model_says(self) -> None:
        found = self.store.find_batches(BatchFilter(), before=None, limit=1000)
        rows = self.model.batches.rows
        assert [each.id for each in found] == sorted(rows, reverse=True)
        for each in found:
            batch = rows[each.id]
            assert shown(each) == expected(batch)
            assert each.counts == self.model.batches.counts(each.id)
            assert each.processed == self.processed(each.id)

    def processed(self, batch_id: JobId) -> float | None:
        done = [each.saved.done for each in self.model.batches.members(batch_id)]
        said = [units for units in done if units is not None]
        return sum(said) if said else None


def shown(batch: BatchInfo) -> tuple[object, ...]:
    is_marked = (each is not None for each in (batch.failed_at, batch.ended_at))
    return batch.status, batch.round, batch.parent, batch.cancelled_by, *is_marked


def expected(batch: Batch) -> tuple[object, ...]:
    flags = (batch.has_failed, batch.is_ended)
    return batch.status, batch.round, batch.asked.parent, batch.by, *flags


def followed(told: Followed) -> tuple[object, ...]:
    assert not told.busy, "nobody else is there"
    assert no_doubles(told.batches), "a batch ends once"
    return set(told.batches), set(told.failures), dict(told.arrivals)


def came(found: Came) -> tuple[object, ...]:
    return found.ended, found.failed, dict(found.arrivals)


def no_doubles(named: Iterable[object]) -> bool:
    listed = list(named)
    return len(set(listed)) == len(listed)
