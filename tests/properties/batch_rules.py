"""Random operations on batches: filled from outside and inside, sealed, cancelled, opened again."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from hypothesis import strategies as st
from hypothesis.stateful import precondition, rule

from leasehold.model.batches import Adder, NewBatch
from leasehold.model.ids import uuid7
from leasehold.model.keys import Unique
from leasehold.model.states import State
from tests.properties.choices import RETRIABLE, UNIQUE_KEYS, chances, picks, some_picks
from tests.properties.ground import attempt
from tests.properties.together_ground import (
    MOST_BATCHES,
    ON_END,
    ON_FAILURE,
    TogetherGround,
    came,
    followed,
    member_options,
)

if TYPE_CHECKING:
    from leasehold.model.ids import JobId

insides = st.sampled_from([False, False, True])
some_batches = precondition(lambda self: self.model.batches.rows)
keys_or_none = st.sampled_from([*[None] * 5, UNIQUE_KEYS[0]])


class BatchRules(TogetherGround):
    """What can happen to batches; other rules end, retry and delete their members."""

    @precondition(lambda self: len(self.model.batches.rows) < MOST_BATCHES)
    @rule(chance=chances, pick=picks, nests=insides, inside=insides, calls=st.integers(0, 3))
    def create_batch(
        self, *, chance: int, pick: int, nests: bool, inside: bool, calls: int
    ) -> None:
        """Make a batch, in another one or not, with callbacks or not."""
        number = len(self.model.batches.rows)
        parent = self.batch(pick) if nests and number else None
        batch = NewBatch(
            id=uuid7(1_700_000_000_001, chance.to_bytes(2, "big") + number.to_bytes(8, "big")),
            parent=parent,
            on_end=ON_END if calls != 1 else None,
            on_failure=ON_FAILURE if calls > 1 else None,
            adder=self.adder(pick) if inside else None,
        )
        assert attempt(self.store.create_batch, batch) == attempt(self.model.create_batch, batch)

    @some_batches
    @precondition(lambda self: self.has_room())
    @rule(
        pick=picks,
        drawn=st.lists(chances, min_size=1, max_size=2),
        options=member_options,
        inside=insides,
        key=keys_or_none,
    )
    def add(
        self,
        *,
        pick: int,
        drawn: list[int],
        options: dict[str, Any],
        inside: bool,
        key: str | None,
    ) -> None:
        """Add members from outside, or as a running or stale member does."""
        given = options | {
            "batch": self.batch(pick),
            "adder": self.adder(pick) if inside else None,
            "unique": Unique(key=key) if key else None,
        }
        jobs = [self.new_job(chance, given) for chance in drawn]
        assert attempt(self.store.enqueue, jobs) == attempt(self.model.enqueue, jobs)

    def adder(self, pick: int) -> Adder | None:
        if not self.claims:
            return None
        _, claim = self.a_claim(pick)
        return Adder(claim.job_id, claim.fence)

    @some_batches
    @rule(pick=picks, follows=st.sampled_from([True, True, False]))
    def seal(self, *, pick: int, follows: bool) -> None:
        """Seal a batch, and look whether it is over, unless who sealed it is killed."""
        batch_id = self.batch(pick)
        assert self.store.seal_batch(batch_id) == self.model.seal_batch(batch_id)
        if follows:
            self.follow_batch(pick)

    @some_batches
    @rule(pick=picks, also_members=st.sampled_from([True, True, False]))
    def cancel_batch(self, *, pick: int, also_members: bool) -> None:
        batch_id = self.batch(pick)
        marked = self.store.cancel_batch(batch_id, by="Ada")
        assert marked is not None
        assert set(marked) == self.model.batches.cancel(batch_id, "Ada")
        live = self.store.live_members(marked, limit=1000)
        assert set(live) == self.model.batches.live_members(marked)
        if also_members and live:
            self.do_cancel_many(sorted(live))

    def do_cancel_many(self, jobs: list[JobId]) -> None:
        told = self.store.cancel_many(jobs, by="Ada")
        live = [each for each in jobs if each in self.model.jobs and self.model.jobs[each].place]
        assert told == {each: self.model.cancel(each, by="Ada") for each in live}

    @precondition(lambda self: any(each.is_ended for each in self.model.batches.rows.values()))
    @rule(pick=picks, seals=st.sampled_from([True, True, False]))
    def retry_failed(self, *, pick: int, seals: bool) -> None:
        """Begin another round with what did not succeed."""
        ended = [name for name, each in self.model.batches.rows.items() if each.is_ended]
        batch_id = ended[pick % len(ended)]
        assert self.store.reopen_batch(batch_id) == self.model.batches.reopen(batch_id)
        self.do_retry_many(
            [
                each.asked.id
                for each in self.model.batches.members(batch_id)
                if each.state in {State.DEAD, State.CANCELLED}
            ]
        )
        if seals:
            assert self.store.seal_batch(batch_id) == self.model.seal_batch(batch_id)

    def do_retry_many(self, jobs: list[JobId]) -> None:
        told = self.store.retry_many(jobs)
        wanted = {}
        for each in jobs:
            record = self.model.jobs[each]
            was_retriable = record.state in RETRIABLE
            state = attempt(self.model.retry, each)
            if was_retriable and isinstance(state, State):
                wanted[each] = state
                self.retries.setdefault(str(each), set()).add(record.attempt)
        assert told == wanted

    @some_batches
    @rule(pick=picks)
    def reopen(self, pick: int) -> None:
        batch_id = self.batch(pick)
        assert self.store.reopen_batch(batch_id) == self.model.batches.reopen(batch_id)

    @some_batches
    @rule(chosen=some_picks)
    def follow_up(self, chosen: list[int]) -> None:
        """Do what follows from ends, or from what is taken for one."""
        jobs = [self.job(pick) for pick in chosen] if self.ids else []
        assert followed(self.store.follow_up(jobs)) == came(self.model.follow_up(jobs))

    @some_batches
    @rule(pick=picks)
    def follow_batch(self, pick: int) -> None:
        batch_id = self.batch(pick)
        told = self.store.follow_batches([batch_id])
        assert followed(told) == came(self.model.follow_batches([batch_id]))

    @some_batches
    @rule(is_thorough=st.booleans())
    def sweep(self, *, is_thorough: bool) -> None:
        told = self.store.sweep(after=None, limit=1000, is_thorough=is_thorough)
        assert followed(told) == came(self.model.sweep(is_thorough=is_thorough))
