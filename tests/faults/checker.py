"""Checks a history against what leasehold promises. Each invariant is one function over one job.

no loss              every job that was acknowledged is there
no invention         nothing is there that nobody asked for
every job ended      no job waits or runs any more, its last outcome is final
one success          at most one attempt succeeded
effect once          one effect where a job with a transaction succeeded, none elsewhere
no late write        nothing was written under a lease that had been taken back
one outcome each     exactly one outcome for each attempt
attempts in a row    numbered 1, 2, 3…
fences grow          with the attempts
failures add up      counted failures and charged lapses, no more and no less
lapses add up        up with each lapse, back to 0 when a handler has ended by itself
deaths are earned    nothing dies while it has attempts left
terminal is last     nothing follows a final outcome
not before run_at    no attempt starts before its job is due
time goes on         attempts end after they start, one after the other
"""

from __future__ import annotations

from collections import defaultdict
from dataclasses import dataclass
from typing import TYPE_CHECKING, NamedTuple

from tests.faults.history import FINAL, EffectRow, Expected, History, JobRow, OutcomeRow

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence

# What a handler came to by itself; whoever only holds a lease can't claim that for it.
_BY_ITSELF = frozenset({"failed", "snoozed"})


class Violation(NamedTuple):
    """An invariant that does not hold for a job, and what was seen."""

    invariant: str
    job_id: str
    seen: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Story:
    """One job's part of the history; outcomes are in the order of their attempts."""

    job_id: str
    expected: Expected | None
    job: JobRow | None
    outcomes: Sequence[OutcomeRow]
    effects: Sequence[EffectRow]
    places: Sequence[str]

    @property
    def successes(self) -> list[OutcomeRow]:
        return [each for each in self.outcomes if each.state == "succeeded"]


def check(history: History) -> list[Violation]:
    """Return every violation of every invariant."""
    return [
        Violation(name, story.job_id, seen)
        for story in tell_stories(history)
        for name, invariant in INVARIANTS.items()
        for seen in invariant(story)
    ]


def tell_stories(history: History) -> Iterator[Story]:
    """Sort the rows by job, those of jobs that should not exist too."""
    jobs = {job.id: job for job in history.jobs}
    outcomes: dict[str, list[OutcomeRow]] = defaultdict(list)
    effects: dict[str, list[EffectRow]] = defaultdict(list)
    places: dict[str, list[str]] = defaultdict(list)
    for outcome in history.outcomes:
        outcomes[outcome.job_id].append(outcome)
    for effect in history.effects:
        effects[effect.job_id].append(effect)
    for table, job_id in history.live:
        places[job_id].append(table)
    for job_id in sorted({*history.expected, *jobs, *outcomes, *effects, *places}):
        yield Story(
            job_id=job_id,
            expected=history.expected.get(job_id),
            job=jobs.get(job_id),
            outcomes=sorted(outcomes[job_id], key=lambda each: each.attempt),
            effects=effects[job_id],
            places=places[job_id],
        )


def no_loss(story: Story) -> Iterator[str]:
    if story.expected is not None and story.job is None:
        yield "it was acknowledged and is gone"


def no_invention(story: Story) -> Iterator[str]:
    if story.expected is None:
        yield "nobody asked for it"
    elif story.job is not None and story.job.kind != story.expected.kind:
        yield f"asked for {story.expected.kind}, found {story.job.kind}"


def every_job_ended(story: Story) -> Iterator[str]:
    if story.places:
        yield f"it stands in {', '.join(story.places)}"
    elif not story.outcomes or story.outcomes[-1].state not in FINAL:
        yield "it stands nowhere and has not ended"


def one_success(story: Story) -> Iterator[str]:
    if len(story.successes) > 1:
        yield f"attempts {[each.attempt for each in story.successes]} all succeeded"


def effect_once(story: Story) -> Iterator[str]:
    has_effect = story.expected is not None and story.expected.has_effect
    wanted = 1 if has_effect and story.successes else 0
    if len(story.effects) != wanted:
        yield f"{len(story.effects)} effects where {wanted} should be"


def no_late_write(story: Story) -> Iterator[str]:
    states = {each.attempt: each.state for each in story.outcomes}
    for effect in story.effects:
        state = states.get(effect.attempt, "open")
        if state != "succeeded":
            yield f"an effect of attempt {effect.attempt}, which is {state}"
    newest = max((each.fence for each in story.outcomes if each.fence is not None), default=0)
    for success in story.successes:
        if success.fence is None or success.fence < newest:
            yield f"succeeded under fence {success.fence}, after fence {newest} was given out"
        if success.result not in {None, success.attempt}:
            yield f"attempt {success.result} settled attempt {success.attempt}"


def one_outcome_each(story: Story) -> Iterator[str]:
    attempts = [each.attempt for each in story.outcomes]
    for attempt in sorted({each for each in attempts if attempts.count(each) > 1}):
        yield f"attempt {attempt} has {attempts.count(attempt)} outcomes"


def attempts_in_a_row(story: Story) -> Iterator[str]:
    attempts = sorted({each.attempt for each in story.outcomes})
    if attempts != list(range(1, len(attempts) + 1)):
        yield f"attempts {attempts}"


def fences_grow(story: Story) -> Iterator[str]:
    fences = [each.fence for each in story.outcomes if each.fence is not None]
    if fences != sorted(set(fences)):
        yield f"fences {fences}"


def failures_add_up(story: Story) -> Iterator[str]:
    failures = lapses = 0
    for each in story.outcomes:
        failures += _is_counted(each, lapses)
        if each.failures != failures:
            yield f"{each.failures} failures after attempt {each.attempt}, should be {failures}"
            return
        lapses = each.lapses


def lapses_add_up(story: Story) -> Iterator[str]:
    lapses = 0
    for each in story.outcomes:
        lapses = 0 if each.state in _BY_ITSELF else lapses + _is_lapse(each)
        if each.lapses != lapses:
            yield f"{each.lapses} lapses after attempt {each.attempt}, should be {lapses}"
            return


def deaths_are_earned(story: Story) -> Iterator[str]:
    limit = None if story.job is None else story.job.max_attempts
    for each in story.outcomes:
        if limit is not None and (each.state == "dead") != (each.failures >= limit > 0):
            yield f"attempt {each.attempt} is {each.state} with {each.failures} of {limit} failures"


def terminal_is_last(story: Story) -> Iterator[str]:
    for each in story.outcomes[:-1]:
        if each.state in FINAL:
            yield f"attempt {each.attempt} was {each.state}, and others followed"
    if story.places and story.outcomes and story.outcomes[-1].state in FINAL:
        yield f"it is {story.outcomes[-1].state} and stands in {', '.join(story.places)}"


def not_before_run_at(story: Story) -> Iterator[str]:
    due_at = None if story.job is None else story.job.run_at
    for each in story.outcomes:
        if due_at is not None and each.started_at is not None and each.started_at < due_at:
            early = (due_at - each.started_at) / 1_000_000
            yield f"attempt {each.attempt} started {early:.3f} s before it was due"


def time_goes_on(story: Story) -> Iterator[str]:
    before = 0
    for each in story.outcomes:
        if each.finished_at < max(before, each.started_at or 0):
            yield f"attempt {each.attempt} ended before it started, or before the one before it"
        before = each.finished_at


def _is_lapse(outcome: OutcomeRow) -> bool:
    return outcome.state == "lapsed" or (
        outcome.state == "dead" and (outcome.error or "").startswith("lapsed")
    )


def _is_counted(outcome: OutcomeRow, lapses_before: int) -> bool:
    """A first lapse makes a suspect and is not charged; a suspect's is."""
    if _is_lapse(outcome):
        return lapses_before > 0
    return outcome.state in {"failed", "dead"}


INVARIANTS: dict[str, Callable[[Story], Iterator[str]]] = {
    invariant.__name__.replace("_", " "): invariant
    for invariant in (
        no_loss,
        no_invention,
        every_job_ended,
        one_success,
        effect_once,
        no_late_write,
        one_outcome_each,
        attempts_in_a_row,
        fences_grow,
        failures_add_up,
        lapses_add_up,
        deaths_are_earned,
        terminal_is_last,
        not_before_run_at,
        time_goes_on,
    )
}
