"""Random saves of running jobs, living or stale, alone and in their own transaction."""

from __future__ import annotations

from typing import TYPE_CHECKING

from hypothesis import strategies as st
from hypothesis.stateful import precondition, rule

from leasehold.errors import LeaseLost
from leasehold.model.ids import WorkerId
from leasehold.model.saving import Save
from tests.properties.choices import UNIT, picks, some_picks
from tests.properties.ground import Ground

if TYPE_CHECKING:
    from leasehold.model.values import Claim

amounts = st.sampled_from([None, 0.0, 1.0, 2.0, 3.0])
cursors = st.sampled_from([None, "null", "1", '{"page":2}'])
names = st.sampled_from([None, "first", "second"])


class SavingRules(Ground):
    """What jobs save; other rules end, retry and delete them."""

    @precondition(lambda self: self.claims)
    @rule(
        chosen=some_picks,
        cursor=cursors,
        done=amounts,
        later=amounts,
        total=amounts,
        step=names,
        is_impostor=st.sampled_from([False, False, False, True]),
    )
    def save(
        self,
        *,
        chosen: list[int],
        cursor: str | None,
        done: float | None,
        later: float | None,
        total: float | None,
        step: str | None,
        is_impostor: bool,
    ) -> None:
        """Save for some claims of one worker, and a little later how far they are by then."""
        worker, _ = self.a_claim(chosen[0])
        saves = [
            Save(
                job_id=claim.job_id,
                fence=claim.fence,
                cursor=cursor,
                done=done,
                total=total,
                step=step,
                result=str(claim.attempt) if step else None,
            )
            for holder, claim in map(self.a_claim, chosen)
            if holder == worker
        ]
        if is_impostor:
            worker = WorkerId(3 - worker)
        assert self.store.save(worker, saves) == self.model.save(worker, saves)
        if later is not None:
            saves = [Save(job_id=each.job_id, fence=each.fence, done=later) for each in saves]
            assert self.store.save(worker, saves) == self.model.save(worker, saves)

    @precondition(lambda self: self.claims)
    @rule(pick=picks, cursor=cursors)
    def save_in_a_transaction(self, pick: int, cursor: str | None) -> None:
        worker, claim = self.a_claim(pick)
        saves = [_saved(claim, cursor)]
        try:
            with self.store.saving(worker, lambda: saves, lease_seconds=UNIT):
                pass
        except LeaseLost:
            assert self.model.save(worker, saves) == [False], "it was refused"
        else:
            assert self.model.save(worker, saves) == [True], "it was not refused"


def _saved(claim: Claim, cursor: str | None) -> Save:
    return Save(job_id=claim.job_id, fence=claim.fence, cursor=cursor, step="inside", result="7")
