"""Finds jobs by the beginning of an id, or by a text in what they hold, within a bounded time."""

from __future__ import annotations

import re
import time
from dataclasses import dataclass
from typing import TYPE_CHECKING
from uuid import UUID

from leasehold.model.ids import JobId
from leasehold.model.values import Filter, Job
from leasehold.revealing import show_job
from leasehold.web.dashboard.texts import compact

if TYPE_CHECKING:
    from collections.abc import Sequence
    from typing import Unpack

    from leasehold.client import Client
    from leasehold.filtering import Filters

LONGEST_SECONDS = 0.2
_STEP = 250
_LEAST_DIGITS = 8
_DIGITS = 32
_ID = re.compile(r"[0-9a-f-]+", re.IGNORECASE)


@dataclass(frozen=True, slots=True, kw_only=True)
class Found:
    """The jobs that match, how many were looked at, and where to go on; None at the end."""

    jobs: Sequence[Job]
    seen: int
    goes_on: JobId | None = None


def read_beginning(text: str) -> tuple[UUID, UUID] | None:
    """Return the first and the last id that begin so; None when it is no beginning of an id."""
    digits = text.replace("-", "").lower()
    if not _ID.fullmatch(text) or not _LEAST_DIGITS <= len(digits) <= _DIGITS:
        return None
    return UUID(digits.ljust(_DIGITS, "0")), UUID(digits.ljust(_DIGITS, "f"))


def find_by_id(client: Client, first: UUID, last: UUID, *, limit: int) -> list[Job]:
    """List the jobs between two ids, newest first."""
    exact = client.store.get(JobId(last))
    if exact is not None:
        return [exact]
    found = client.store.find(Filter(), before=JobId(last), above=JobId(first), limit=limit)
    return [show_job(job) for job in found]


def find_by_text(
    client: Client,
    text: str,
    *,
    limit: int,
    before: UUID | None,
    **filters: Unpack[Filters],
) -> Found:
    """Walk from the newest job on until enough match or the time is up."""
    until = time.monotonic() + LONGEST_SECONDS
    wanted, matches, seen = text.casefold(), list[Job](), 0
    last = before
    while True:
        page = client.page(limit=_STEP, before=last, **filters)
        for job in page.jobs:
            seen += 1
            matches += [job] if holds(job, wanted) else []
            if len(matches) == limit:
                return Found(jobs=matches, seen=seen, goes_on=job.id)
        if page.before is None or time.monotonic() > until:
            return Found(jobs=matches, seen=seen, goes_on=page.before)
        last = page.before


def holds(job: Job, wanted: str) -> bool:
    """Whether a job's kind, arguments, error or names hold the text, whatever its case."""
    texts = (job.kind, job.error, job.key, job.lane, job.created_by, compact(job.args))
    return any(wanted in each.casefold() for each in texts if each)
