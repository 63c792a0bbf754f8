"""Random operations on jobs that wait for others: let go, ended in vain, retried, pruned."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from hypothesis import strategies as st
from hypothesis.stateful import precondition, rule

from leasehold.model.needs import Needs
from leasehold.model.values import Settlement
from tests.properties.choices import MOST_LIVE, chances, job_options, some_picks
from tests.properties.ground import Ground

if TYPE_CHECKING:
    from leasehold.model.ids import JobId

words = st.fixed_dictionaries({"any": st.booleans(), "even_if_failed": st.booleans()})


class NeedsRules(Ground):
    """What can happen to jobs that wait for others; other rules end what they wait for."""

    @precondition(lambda self: self.ids and self.count_live() < MOST_LIVE)
    @rule(chance=chances, options=job_options, chosen=some_picks, words=words)
    def enqueue_after(
        self, chance: int, options: dict[str, Any], chosen: list[int], words: dict[str, bool]
    ) -> None:
        """Wait for jobs that live, have ended, or are gone."""
        jobs = tuple(dict.fromkeys(self.job(pick) for pick in chosen))
        self.enqueue_all([self.needing(chance, options, jobs, words)])

    @precondition(lambda self: self.count_live() < MOST_LIVE)
    @rule(chance=chances, options=job_options, words=words)
    def enqueue_both(self, chance: int, options: dict[str, Any], words: dict[str, bool]) -> None:
        """Enqueue a job together with one that waits for it."""
        first = self.new_job(chance, options)
        self.enqueue_all([self.needing(chance, options, (first.id,), words), first])

    def needing(
        self, chance: int, options: dict[str, Any], jobs: tuple[JobId, ...], words: dict[str, bool]
    ) -> Any:
        return self.new_job(chance, options | {"needs": Needs(jobs=jobs, **words)})

    def enqueue_all(self, jobs: list[Any]) -> None:
        assert self.store.enqueue(jobs) == self.model.enqueue(jobs)

    @precondition(lambda self: self.model.waiting.dependents())
    @rule()
    def sweep(self) -> None:
        released = self.store.sweep_dependents(limit=1000)
        assert (released.let_go, released.cancelled) == self.model.sweep_dependents()

    @precondition(lambda self: self.model.waiting.dependents())
    @rule(chosen=some_picks)
    def follow(self, chosen: list[int]) -> None:
        """Look at those that wait for some jobs, whether these have ended or not."""
        ended = sorted({self.job(pick) for pick in chosen})  # the first that failed is named
        released = self.store.release_dependents(ended)
        assert (released.let_go, released.cancelled) == self.model.release_dependents(ended)

    @precondition(lambda self: self.model.waiting.dependents() and self.claims)
    @rule(outcome=st.sampled_from(["succeeded", "dead", "cancelled"]))
    def end_all_and_sweep(self, outcome: str) -> None:
        """End all that runs, so that who waits for it may go, or ends, too."""
        for worker, claim in self.claims:
            end = Settlement(job_id=claim.job_id, fence=claim.fence, outcome=outcome)
            assert self.store.finish(worker, [end]) == self.model.finish(worker, [end])
        self.sweep()
