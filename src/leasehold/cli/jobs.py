"""`leasehold jobs`: look at jobs and change them."""

from __future__ import annotations

import sys
from typing import TYPE_CHECKING, Any

import click

from leasehold.cli.bulk import Selection, change_selected, with_selection
from leasehold.cli.changing import change_jobs
from leasehold.cli.commands import Group, with_session
from leasehold.cli.values import read_duration
from leasehold.model.states import State

if TYPE_CHECKING:
    from leasehold.cli.session import Session
    from leasehold.client import Client


def is_terminal() -> bool:
    """Whether somebody is there to ask."""
    return sys.stdin.isatty()


def _asks(selection: Selection) -> bool:
    return not selection.yes and is_terminal()


_IDS = click.argument("ids", nargs=-1, required=True, metavar="ID...")
_CANCEL_EXAMPLE = """\
leasehold jobs cancel --by ada 0192f0c1-2a3b-7c4d-8e5f-60718293a4b5
leasehold jobs cancel --where queue=mail --where state=queued --dry-run"""
_RETRY_EXAMPLE = """\
leasehold jobs retry 0192f0c1-2a3b-7c4d-8e5f-60718293a4b5
leasehold jobs retry --where state=dead --where kind=mail.send"""
_DELETE_EXAMPLE = """\
leasehold jobs delete --yes 0192f0c1-2a3b-7c4d-8e5f-60718293a4b5
leasehold jobs delete --where state=succeeded --where tenant=acme"""


@click.group(cls=Group, example="leasehold jobs list --state dead")
def jobs() -> None:
    """List, show, wait for, cancel, retry, delete and reprioritise jobs."""


@jobs.command("list", example="leasehold jobs list --state failed --queue mail --limit 20")
@click.option("--state", type=click.Choice([state.value for state in State]))
@click.option("--queue")
@click.option("--kind")
@click.option("--tenant")
@click.option("--batch", help="A batch's id.")
@click.option("--key", help="Only who has this key, or waits for it.")
@click.option("--limit", type=click.IntRange(1, 10_000), default=50, show_default=True)
@click.option("--before", metavar="ID", help="Go on below this id: the last one of a page.")
@with_session
def list_jobs(session: Session, /, *, limit: int, before: str | None, **filters: Any) -> None:
    """List jobs, newest first, a page at a time."""
    from leasehold.cli.job_tables import print_jobs
    from leasehold.cli.output import plain, print_json

    with session.client() as client:
        found = client.find(limit=limit, before=before, **filters)
    following = str(found[-1].id) if len(found) == limit else None
    if session.is_json:
        print_json({"jobs": [plain(job) for job in found], "next": following})
    else:
        print_jobs(found, following)


@jobs.command("show", example="leasehold jobs show 0192f0c1-2a3b-7c4d-8e5f-60718293a4b5")
@click.argument("job_id", metavar="ID")
@click.option("--reveal", is_flag=True, help="Decrypt it, with the keys of LEASEHOLD_KEYS.")
@with_session
def show_job(session: Session, *, job_id: str, reveal: bool) -> None:
    """Show one job: its arguments, how far it is, its result, its attempts and its steps."""
    from leasehold.cli.job_tables import print_job
    from leasehold.cli.output import plain, print_json

    with session.client() as client:
        job = client.reveal(job_id) if reveal else client.get(job_id)
        history = client.history(job_id)
        checkpoint = client.checkpoint(job_id)
        steps = client.steps(job_id)
    if session.is_json:
        document = {
            "job": plain(job),
            "checkpoint": None if checkpoint is None else plain(checkpoint),
            "steps": [plain(each) for each in steps],
            "history": [plain(each) for each in history],
        }
        print_json(document)
    else:
        print_job(job, history, checkpoint, steps)


@jobs.command(
    "wait",
    example="leasehold jobs wait 0192f0c1-2a3b-7c4d-8e5f-60718293a4b5 --timeout 30s",
    notes="Exit code: 0 it succeeded, 5 it is dead, 6 it was cancelled, 7 it did not end in time.",
)
@click.argument("job_id", metavar="ID")
@click.option(
    "--timeout",
    type=read_duration,
    metavar="TIME",
    help="Give up after this time.  [default: never]",
)
@with_session
def wait_for_job(session: Session, *, job_id: str, timeout: float | None) -> None:
    """Wait until a job has ended, and print its result as JSON."""
    import json

    from leasehold.cli.output import print_json

    with session.client() as client:
        result = client.wait(job_id, timeout)
    if session.is_json:
        print_json({"id": job_id, "state": "succeeded", "result": result})
    else:
        click.echo(json.dumps(result, ensure_ascii=False))


@jobs.command("cancel", example=_CANCEL_EXAMPLE)
@with_selection
@click.option("--by", help="Who cancels; written into the job's history.")
@with_session
def cancel_jobs(
    session: Session, *, ids: tuple[str, ...], selection: Selection, by: str | None
) -> None:
    """End waiting jobs as cancelled; ask running ones to stop."""
    if not selection.is_empty:
        change_selected(session, "cancel", selection, asks=_asks(selection), by=by)
        return
    from leasehold.checking import read_job_id
    from leasehold.errors import WrongState

    def cancel(client: Client, job_id: str) -> str:
        state = client.cancel(job_id, by=by)
        if state in {State.SUCCEEDED, State.DEAD}:
            raise WrongState(read_job_id(job_id), state, "cancel")
        return state

    change_jobs(session, ids, cancel, told={State.RUNNING: "running, asked to stop"})


@jobs.command("retry", example=_RETRY_EXAMPLE)
@with_selection
@with_session
def retry_jobs(session: Session, *, ids: tuple[str, ...], selection: Selection) -> None:
    """Make failed, dead or cancelled jobs ready now, with all their attempts anew."""
    if not selection.is_empty:
        change_selected(session, "retry", selection, asks=_asks(selection))
        return
    change_jobs(session, ids, lambda client, job_id: client.retry(job_id))


@jobs.command("delete", example=_DELETE_EXAMPLE)
@with_selection
@with_session
def delete_jobs(session: Session, *, ids: tuple[str, ...], selection: Selection) -> None:
    """Delete jobs that are not running, with their history."""
    if not selection.is_empty:
        change_selected(session, "delete", selection, asks=_asks(selection))
        return

    def delete(client: Client, job_id: str) -> str:
        client.get(job_id)  # the client takes a missing job for done; a person may have mistyped
        client.delete(job_id)
        return "deleted"

    if len(ids) > 1 and _asks(selection):
        click.confirm(f"Delete {len(ids)} jobs and their history?", abort=True, err=True)
    change_jobs(session, ids, delete)


@jobs.command(
    "reprioritise",
    example="leasehold jobs reprioritise 0192f0c1-2a3b-7c4d-8e5f-60718293a4b5 --priority 10",
)
@_IDS
@click.option("--priority", type=int, required=True, help="Higher runs first; jobs start at 0.")
@with_session
def reprioritise_jobs(session: Session, *, ids: tuple[str, ...], priority: int) -> None:
    """Change the priority of waiting jobs."""
    change_jobs(session, ids, lambda client, job_id: client.reprioritise(job_id, priority))
