"""Waits for jobs, and does their work where nobody else would."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any, NamedTuple
from uuid import UUID

import leasehold as lh
from leasehold.cli.kit import EXIT_CANCELLED, EXIT_DEAD, set_up_logging
from leasehold.kit.cli import has_worker
from leasehold_documents.model.jobs import EXTRACT


class Ended(NamedTuple):
    """How a job ended."""

    status: str
    result: dict[str, Any] | None = None
    error: str | None = None
    exit_code: int = 0


def follow(client: lh.Client, jobs: Sequence[UUID], tell: Callable[[str], None]) -> list[Ended]:
    """Wait until all jobs have ended, however they end."""
    if has_worker(client, EXTRACT):
        return [_wait(client, job_id) for job_id in jobs]
    from leasehold_documents.working import make_worker

    set_up_logging("critical", "console")  # how each ends is said at the end
    tell("No worker is there: this command does the work.")
    with make_worker(client):
        ended = [_wait(client, job_id) for job_id in jobs]
    make_worker(client).run(until_empty=True)  # what follows: classification
    return ended


def _wait(client: lh.Client, job_id: UUID) -> Ended:
    try:
        return Ended("done", client.wait(job_id))
    except lh.JobCancelled as error:
        return Ended("cancelled", error=error.reason or "", exit_code=EXIT_CANCELLED)
    except lh.JobFailed as error:
        return Ended("dead", error=_plain(error.error or ""), exit_code=EXIT_DEAD)


def _plain(error: str) -> str:
    """Leave out the name of the class: what is behind it begins with a code."""
    return error.removeprefix("Dead: ")
