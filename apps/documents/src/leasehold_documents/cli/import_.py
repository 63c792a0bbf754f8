"""`leasehold-documents import`: files of a drive that somebody has connected."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any
from uuid import UUID

import click

from leasehold.cli.kit import (
    Command,
    cell,
    make_table,
    print_json,
    print_rows,
    with_session,
)
from leasehold_documents.cli.opening import Who, access_of, acting, open_documents

if TYPE_CHECKING:
    from collections.abc import Sequence

    import leasehold as lh
    from leasehold.cli.kit import Session
    from leasehold_documents.access import Access

_EXAMPLE = """\
leasehold-documents import
leasehold-documents import Dropbox /Verträge --wait
leasehold-documents import Dropbox --file /Verträge/Miete.pdf --file /Rechnung.pdf"""
_SHOWN = ("id", "provider", "name", "account", "status")


@click.command("import", cls=Command, example=_EXAMPLE)
@click.argument("connector", required=False, metavar="[CONNECTOR]")
@click.argument("path", required=False, default="/", metavar="[FOLDER]")
@click.option("--file", "files", multiple=True, metavar="PATH|ID", help="Only this one. Repeat it.")
@click.option("--wait", "is_waiting", is_flag=True, help="Return when it has ended.")
@acting
@with_session
def import_(
    session: Session,
    /,
    *,
    connector: str | None,
    path: str,
    files: Sequence[str],
    is_waiting: bool,
    tenant: str | None,
    user: str | None,
) -> None:
    """Copy all files below a folder of a drive into the organization's papers.

    CONNECTOR is its name or id; without one the drives are listed. Somebody connects one on the
    page Connectors. What was imported before is not copied again.
    """
    from leasehold_documents import importing

    with open_documents(session) as opened:
        access = access_of(opened, Who(tenant, user))
        if connector is None:
            _list(session, importing.find(access))
            return
        found = _named(access, connector)
        job_id = importing.start(access, found["id"], path, files)
        if is_waiting:
            _wait(session, opened.client, job_id)
        elif session.is_json:
            print_json({"job_id": job_id})
        else:
            click.echo(f"import {job_id} waits for a worker: leasehold-documents work")


def _list(session: Session, found: list[dict[str, Any]]) -> None:
    if session.is_json:
        print_json({"connectors": [{name: row[name] for name in _SHOWN} for row in found]})
        return
    table = make_table(*_SHOWN)
    for row in found:
        table.add_row(*(cell(row[name] or "") for name in _SHOWN))
    print_rows(table, empty="no drive yet: connect one on the page Connectors", rows=found)


def _named(access: Access, name: str) -> dict[str, Any]:
    """Return the connector of this id, or the only one of this name."""
    from leasehold_documents import importing
    from leasehold_documents.errors import NotFound

    try:
        return importing.get(access, UUID(name))
    except ValueError:
        pass
    found = [row for row in importing.find(access) if row["name"].casefold() == name.casefold()]
    if not found:
        raise NotFound("connector", name)
    if len(found) > 1:
        raise click.UsageError(f"there is more than one {name!r}: name it by its id")
    return found[0]


def _wait(session: Session, client: lh.Client, job_id: UUID) -> None:
    from leasehold_documents.cli.waiting import follow

    (end,) = follow(client, [job_id], lambda text: click.echo(text, err=True))
    if session.is_json:
        told = {"job_id": job_id, "status": end.status, "error": end.error}
        print_json(told | (end.result or {}))
    elif end.result is None:
        click.echo(f"import {job_id} {end.status}, {end.error}")
    else:
        click.echo(f"{end.result['imported_count']} files were imported")
    click.get_current_context().exit(end.exit_code)
