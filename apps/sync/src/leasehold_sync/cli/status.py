"""`leasehold-sync status`: all apps at a glance, or one sync with its tasks."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import click

from leasehold.cli.kit import (
    Command,
    cell,
    first_line,
    make_table,
    print_json,
    print_rows,
    show,
    with_session,
)
from leasehold_sync.cli.opening import job_named, open_sync

if TYPE_CHECKING:
    from collections.abc import Sequence

    from leasehold.cli.kit import Session

_EXAMPLE = """\
leasehold-sync status
leasehold-sync status shop --json"""
_COUNTED = ("entity_count", "created", "updated", "unchanged", "deleted")


@click.command(cls=Command, example=_EXAMPLE)
@click.argument("job", metavar="[JOB|APP]", required=False)
@with_session
def status(session: Session, *, job: str | None) -> None:
    """Show how far a sync is, by its id or as the newest of an app; or all apps."""
    if job is None:
        _show_apps(session)
    else:
        _show_job(session, job)


def _show_apps(session: Session) -> None:
    from leasehold_sync.data import browsing

    with open_sync(session) as (_, database), database.browse() as connection:
        listed = browsing.apps(connection)
    if session.is_json:
        print_json({"apps": [_told(each) for each in listed]})
        return
    table = make_table("app", "connector", "synced", "last sync", "job")
    for each in listed:
        table.add_row(
            cell(each["app_key"]),
            cell(each["connector"]),
            cell(_moment(each["synced_at"]) or "never"),
            cell(each["status"] or "none"),
            cell(each["job_id"]),
        )
    print_rows(table, empty="no app yet: leasehold-sync apps add", rows=listed)


def _told(app: dict[str, Any]) -> dict[str, Any]:
    names = ("app_key", "connector", "synced_at", "status", "job_id")
    return {name: app[name] for name in names}


def _show_job(session: Session, name: str) -> None:
    from leasehold_sync import syncing

    with open_sync(session) as (client, database):
        found = syncing.status(client, database, job_named(database, name))
    if session.is_json:
        print_json(found)
        return
    click.echo(
        f"{found['app_key']}: {found['mode']} sync {found['id']} is {found['status']},"
        f" {found['completed_tasks']} of {found['total_tasks']} tasks,"
        f" {found['processed_entities'] or 0:,} entities"
    )
    print_tasks(found["tasks"])


def print_tasks(tasks: Sequence[dict[str, Any]]) -> None:
    """Print what each resource came to, and why it stands still or has deleted nothing."""
    table = make_table("resource", "status", "entities", *_COUNTED[1:], "")
    for task in tasks:
        table.add_row(
            cell(task["resource_type"]),
            cell(task["status"]),
            *(cell(f"{task[name] or 0:,}") for name in _COUNTED),
            cell(_remark(task)),
        )
    show(table)


def _remark(task: dict[str, Any]) -> str:
    reasons = (task.get("error_message"), task.get("snooze_reason"), task.get("note"))
    return first_line(next((reason for reason in reasons if reason), ""))


def _moment(value: Any) -> str:
    return f"{value:%Y-%m-%d %H:%M:%S}" if value else ""
