"""`leasehold-sync run`: begin a sync, or do it here and now."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import click

from leasehold.cli.kit import EXIT_REFUSED, Command, answer, os_user, print_json, with_session
from leasehold_sync.cli.opening import RESOURCES, open_sync, read_names
from leasehold_sync.cli.status import print_tasks

if TYPE_CHECKING:
    from leasehold.cli.kit import Session
    from leasehold.kit.cli import Opened

_EXAMPLE = """\
leasehold-sync run shop
leasehold-sync run shop --full --resources customers,invoices
leasehold-sync run shop --immediate
leasehold-sync run shop --full --dry-run"""
_LONG_SECONDS = 86_400.0  # nobody's function ends here: it reads until it is done


@click.command(cls=Command, example=_EXAMPLE)
@click.argument("app")
@click.option("--full", "is_full", is_flag=True, help="All of it, and find what is gone.")
@RESOURCES
@click.option("--immediate", is_flag=True, help="Read it in this process, without a job.")
@click.option("--dry-run", is_flag=True, help="As --immediate, and write nothing: what would be?")
@click.option("--force", is_flag=True, help="Delete even when more than half of it is gone.")
@with_session
def run(
    session: Session,
    *,
    app: str,
    is_full: bool,
    resources: str | None,
    immediate: bool,
    dry_run: bool,
    force: bool,
) -> None:
    """Sync an app: what has changed since the last time, or all of it.

    Workers do it (leasehold-sync work), unless it is to be done here. A sync of the app that is
    under way is joined.
    """
    asked: dict[str, Any] = {
        "mode": "full" if is_full else "incremental",
        "resource_types": read_names(resources),
        "force": force,
    }
    with open_sync(session, may_create=True) as opened:
        if immediate or dry_run:
            _run_here(session, opened, app, asked, dry_run=dry_run)
        else:
            _begin(session, opened, app, asked)


def _begin(session: Session, opened: Opened, app: str, asked: dict[str, Any]) -> None:
    from leasehold_sync.syncing import start

    started = start(opened.client, opened.database, app, **asked, created_by=os_user())
    told = "is under way already as" if started.deduplicated else "waits for a worker as"
    answer(
        session,
        f"the sync of {app} {told} {started.job_id}",
        job_id=str(started.job_id),
        deduplicated=started.deduplicated,
    )
    if not session.is_json:
        click.echo("  leasehold-sync work              works on it", err=True)
        click.echo(f"  leasehold-sync status {app:<10}  shows how far it is", err=True)


def _run_here(
    session: Session, opened: Opened, app: str, asked: dict[str, Any], *, dry_run: bool
) -> None:
    from leasehold_sync.running.immediate import run_now

    result = run_now(
        opened.client, opened.database, app, **asked, budget_seconds=_LONG_SECONDS, dry_run=dry_run
    )
    if session.is_json:
        print_json(result)
    else:
        print_tasks(result["results"])
        done = "would be written; nothing was" if dry_run else result["status"]
        click.echo(f"{app}: {done}")
    if result["status"] == "failed":
        click.get_current_context().exit(EXIT_REFUSED)
