"""Random operations that take away what has ended: jobs, and the keys that say nothing any more."""

from __future__ import annotations

from hypothesis import strategies as st
from hypothesis.stateful import precondition, rule

from leasehold.model.keeping import EVER_SECONDS, Keep, Pruning, Scope
from tests.properties.ground import Ground

ENDED = ("succeeded", "dead", "cancelled")


class KeepingRules(Ground):
    """What retention does; other rules end jobs, and retry what it must not take away."""

    @precondition(lambda self: any(not record.place for record in self.model.jobs.values()))
    @rule(states=st.sets(st.sampled_from(ENDED), min_size=1), limit=st.integers(1, 5))
    def prune(self, states: set[str], limit: int) -> None:
        """Take away all that has ended so, however young it is."""
        keep = Keep(**{each: 0.0 if each in states else EVER_SECONDS for each in ENDED})
        self.store.set_retention(Scope.ALL, "", keep, by=None)
        gone = self.model.prune(states, limit)
        assert self.walk(Pruning.JOBS, limit) == len(gone)
        assert self.walk(Pruning.KEYS, limit) == self.model.prune_keys()
        for job_id in gone:
            self.retries.pop(str(job_id), None)
            self.buried |= {(job_id, claim.fence) for _, claim in self.claims}

    def walk(self, what: Pruning, limit: int) -> int:
        step = self.store.prune(what, limit=limit)
        gone = step.gone
        while step.cursor is not None:
            step = self.store.prune(what, step.cursor, limit=limit)
            gone += step.gone
        return gone
