"""`leasehold-sync cancel` and `retry`: what becomes of a sync."""

from __future__ import annotations

from typing import TYPE_CHECKING

import click

from leasehold.cli.kit import Command, answer, with_session
from leasehold_sync.cli.opening import JOB, job_named, open_sync

if TYPE_CHECKING:
    from leasehold.cli.kit import Session


@click.command(cls=Command, example="leasehold-sync cancel shop")
@JOB
@with_session
def cancel(session: Session, *, job: str) -> None:
    """Cancel a sync: what waits at once, what runs at its next page. What was read stays."""
    from leasehold_sync import syncing

    with open_sync(session) as (client, database):
        job_id = job_named(database, job)
        syncing.cancel(client, database, job_id)
    answer(session, f"the sync {job_id} is cancelled", job_id=str(job_id), status="cancelled")


@click.command(cls=Command, example="leasehold-sync retry shop")
@JOB
@with_session
def retry(session: Session, *, job: str) -> None:
    """Run the failed tasks of a sync again, each from where it stands."""
    from leasehold_sync import syncing

    with open_sync(session) as (client, database):
        job_id = job_named(database, job)
        tasks = syncing.retry(client, database, job_id)
    plural = "" if tasks == 1 else "s"
    told = f"{tasks} task{plural} of the sync {job_id} will run again: leasehold-sync work"
    answer(session, told, job_id=str(job_id), tasks=tasks)
