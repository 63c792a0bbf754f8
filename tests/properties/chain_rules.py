"""Random chains of jobs that wait for others, in batches and out of them, with callbacks."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from hypothesis import strategies as st
from hypothesis.stateful import precondition, rule

from leasehold.model.ids import uuid7
from leasehold.model.needs import Needs
from tests.properties.choices import chances, picks, some_picks
from tests.properties.ground import attempt
from tests.properties.together_ground import TogetherGround, member_options

if TYPE_CHECKING:
    from leasehold.model.ids import JobId
    from leasehold.model.needs import Released

NOBODY = uuid7(1_700_000_000_000, b"no such id")
some_waiting = precondition(lambda self: self.model.waiting.dependents())


class ChainRules(TogetherGround):
    """What can happen to jobs that wait for others; other rules end what they wait for."""

    @precondition(lambda self: self.has_room())
    @rule(
        drawn=st.lists(chances, min_size=1, max_size=2),
        chosen=some_picks,
        words=st.sampled_from(
            [{}, {}, {"any": True}, {"even_if_failed": True}, {"any": True, "even_if_failed": True}]
        ),
        options=member_options,
        how=st.sampled_from(["apart", "apart", "chain", "chain", "nobody"]),
    )
    def enqueue_dependents(
        self,
        *,
        drawn: list[int],
        chosen: list[int],
        words: dict[str, bool],
        options: dict[str, Any],
        how: str,
    ) -> None:
        """Let new jobs wait for some that were ever there, or for each other too."""
        needed = tuple(self.job(pick) for pick in chosen) if self.ids else (NOBODY,)
        jobs = []
        for chance in drawn:
            needs = Needs(jobs=(NOBODY, *needed) if how == "nobody" else needed, **words)
            job = self.new_job(chance, options | {"needs": needs, "batch": self.some_batch(chance)})
            needed = (*needed, job.id) if how == "chain" else needed
            jobs.append(job)
        assert attempt(self.store.enqueue, jobs) == attempt(self.model.enqueue, jobs)

    def some_batch(self, pick: int) -> JobId | None:
        is_for_one = pick % 3 == 0 and self.model.batches.rows
        return self.batch(pick) if is_for_one else None

    @some_waiting
    @rule(chosen=some_picks)
    def release_dependents(self, chosen: list[int]) -> None:
        """Look at those that wait for these, which may have ended, now or long ago, or not."""
        self.do_release([self.job(pick) for pick in chosen])

    def do_release(self, ended: list[JobId]) -> Released:
        ended = sorted(ended)  # of several that failed, the first one is named
        told = self.store.release_dependents(ended)
        assert released(told) == self.model.release_dependents(ended)
        return told

    @some_waiting
    @rule()
    def sweep_dependents(self) -> None:
        self.do_sweep_dependents()

    def do_sweep_dependents(self) -> Released:
        told = self.store.sweep_dependents(limit=1000)
        assert released(told) == self.model.sweep_dependents()
        return told

    @some_waiting
    @rule()
    def sweep_to_the_end(self) -> None:
        """Follow up what was ended in vain until nothing comes of it: then all wait rightly."""
        told = self.do_sweep_dependents()
        while told.cancelled:
            told = self.do_release(list(told.cancelled))
        waiting = self.model.waiting
        assert not waiting.judge(waiting.dependents()), "nobody waits in vain"

    @some_waiting
    @rule(pick=picks)
    def look_at_predecessors(self, pick: int) -> None:
        waiting = self.model.waiting.dependents()
        job_id = waiting[pick % len(waiting)]
        jobs = self.model.jobs
        asked = jobs[job_id].asked
        assert asked.needs is not None
        found = [(each.id, each.state) for each in self.store.predecessors(job_id)]
        # Of another tenant's job nothing is told.
        own = {
            each
            for each in asked.needs.jobs
            if each in jobs and jobs[each].asked.tenant == asked.tenant
        }
        wanted = [(each, jobs[each].state if each in own else None) for each in asked.needs.jobs]
        assert found == wanted


def released(told: Released) -> tuple[object, ...]:
    return dict(told.let_go), tuple(sorted(told.cancelled))
