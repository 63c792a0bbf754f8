"""Why a job does not run now, and what to do about it."""

from __future__ import annotations

from collections.abc import Iterable
from datetime import datetime

import msgspec

from leasehold.model.causes import Cause, CauseRule, Reason
from leasehold.model.facts import ENDED, LEASE, SCHEDULED, Facts
from leasehold.model.ids import JobId
from leasehold.model.why_standing import ENDED_RULES, LEASE_RULES, SCHEDULED_RULES
from leasehold.model.why_waiting import LASTING_RULES, NEXT, WAITING_RULES


class Why(msgspec.Struct, frozen=True, kw_only=True):
    """Why a job does not run now, in a sentence, with advice. `also` holds it up, too."""

    job_id: JobId
    state: str
    reason: Reason
    text: str
    advice: str
    until: datetime | None = None
    jobs: tuple[JobId, ...] = ()
    also: tuple[Cause, ...] = ()

    def __str__(self) -> str:
        return f"{self.text}\n{self.advice}"


def explain(facts: Facts) -> Why:
    """Try the rules in order: the first that holds is the reason.

    Of a job that waits, all others that hold come along: it needs them all out of its way.
    """
    chief, *also = _causes(facts)
    return Why(
        job_id=facts.job_id,
        state=facts.state,
        reason=chief.reason,
        text=chief.text,
        advice=chief.advice,
        until=chief.until,
        jobs=chief.jobs,
        also=tuple(also),
    )


def _causes(facts: Facts) -> list[Cause]:
    if facts.place == ENDED:
        return _holding(ENDED_RULES, facts)[:1]
    if facts.place == LEASE:
        return _holding(LEASE_RULES, facts)[:1]
    if facts.place == SCHEDULED:
        lasting = [cause for cause in _holding(LASTING_RULES, facts) if not _is_over(cause, facts)]
        return _holding(SCHEDULED_RULES, facts)[:1] + lasting
    return _holding(WAITING_RULES, facts) or [NEXT]


def _is_over(cause: Cause, facts: Facts) -> bool:
    """Whether it will have passed when the job is due."""
    return cause.until is not None and facts.run_at is not None and cause.until <= facts.run_at


def _holding(rules: Iterable[CauseRule], facts: Facts) -> list[Cause]:
    return [cause for rule in rules if (cause := rule(facts)) is not None]
