"""`leasehold-documents jobs`: how an organization's jobs stand; to cancel one, or try it again."""

from __future__ import annotations

from typing import TYPE_CHECKING
from uuid import UUID

import click

from leasehold.cli.kit import (
    Listing,
    answer,
    cell,
    first_line,
    make_table,
    print_json,
    print_rows,
    with_session,
)
from leasehold_documents.cli.opening import Who, acting, open_access

if TYPE_CHECKING:
    from leasehold.cli.kit import Session

_EXAMPLE = """\
leasehold-documents jobs
leasehold-documents jobs list --status dead --json
leasehold-documents jobs cancel 0192f0c1-2a3b-7c4d-8e5f-60718293a4b5"""
_STATES = ("queued", "running", "done", "failed", "dead", "cancelled")
_JOB = click.argument("job", type=click.UUID)


@click.group(cls=Listing, example=_EXAMPLE)
@acting
@with_session
def jobs(session: Session, *, tenant: str | None, user: str | None) -> None:
    """List an organization's jobs; cancel one, or try it again."""
    _list(session, Who(tenant, user), status=None, limit=20)


@jobs.command("list", example="leasehold-documents jobs list --status dead")
@click.option("--status", type=click.Choice(_STATES), help="Only those.")
@click.option("--limit", type=click.IntRange(1, 1000), default=20, show_default=True)
@acting
@with_session
def list_(
    session: Session, /, *, status: str | None, limit: int, tenant: str | None, user: str | None
) -> None:
    """List jobs, newest first."""
    _list(session, Who(tenant, user), status=status, limit=limit)


def _list(session: Session, who: Who, *, status: str | None, limit: int) -> None:
    from leasehold_documents.web.api.jobs import find_jobs

    with open_access(session, who) as access:
        rows = find_jobs(access, status=status, limit=limit).rows
    if session.is_json:
        print_json({"jobs": rows})
        return
    table = make_table("id", "type", "status", "attempts", "begun", "")
    for row in rows:
        begun = f"{row['started_at']:%Y-%m-%d %H:%M:%S}" if row["started_at"] else ""
        attempts = f"{row['attempts']} of {row['max_attempts']}"
        told = (row["id"], row["type"], row["status"], attempts, begun)
        table.add_row(*map(cell, told), cell(first_line(row["error_message"] or "")))
    print_rows(table, empty="no jobs", rows=rows)


@jobs.command("cancel", example="leasehold-documents jobs cancel ID")
@_JOB
@acting
@with_session
def cancel(session: Session, /, *, job: UUID, tenant: str | None, user: str | None) -> None:
    """Cancel a job. What it was to cost is given back."""
    from leasehold_documents.web.api.jobs import cancel

    with open_access(session, Who(tenant, user)) as access:
        access.require("member")
        cancel(access, job)
    answer(session, f"{job} is cancelled", job_id=str(job))


@jobs.command("retry", example="leasehold-documents jobs retry ID")
@_JOB
@acting
@with_session
def retry(session: Session, /, *, job: UUID, tenant: str | None, user: str | None) -> None:
    """Try a job again. An extraction whose price was given back needs a new consent instead."""
    from leasehold_documents.web.api.jobs import retry

    with open_access(session, Who(tenant, user)) as access:
        access.require("member")
        retry(access, job)
    answer(session, f"{job} will be tried again", job_id=str(job))
