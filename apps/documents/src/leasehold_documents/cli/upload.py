"""`leasehold-documents upload` and `list`: papers that come in, and those that are there."""

from __future__ import annotations

import sys
from pathlib import PurePath
from typing import TYPE_CHECKING, Any, BinaryIO

import click

from leasehold.cli.kit import (
    EXIT_REFUSED,
    Command,
    cell,
    make_table,
    print_json,
    print_rows,
    with_session,
)
from leasehold_documents.cli.opening import Who, acting, open_access

if TYPE_CHECKING:
    from collections.abc import Sequence

    from leasehold.cli.kit import Session
    from leasehold_documents.access import Access

_EXAMPLE = """\
leasehold-documents upload Mietvertrag.pdf Rechnung.docx
curl -s https://example.com/a.pdf | leasehold-documents upload - --name a.pdf"""
_SHOWN = ("id", "name", "media_type", "size_bytes", "doc_type", "duplicate_of", "created_at")


@click.command(cls=Command, example=_EXAMPLE)
@click.argument("files", nargs=-1, required=True, type=click.File("rb"), metavar="FILE...")
@click.option("--name", help="What to call it.  [default: as the file is called]")
@acting
@with_session
def upload(
    session: Session,
    /,
    *,
    files: Sequence[BinaryIO],
    name: str | None,
    tenant: str | None,
    user: str | None,
) -> None:
    """Take files into the organization's papers; - reads stdin.

    Nothing is read or charged yet. A file that is refused does not keep the others out.
    """
    if name is not None and len(files) > 1:
        raise click.UsageError("--name: there is more than one file")
    taken: list[dict[str, Any]] = []
    refused: list[dict[str, str]] = []
    with open_access(session, Who(tenant, user)) as access:
        for file in files:
            _take(access, name or _name_of(file), file, taken, refused)
    if session.is_json:
        print_json({"documents": [_told(row) for row in taken], "refused": refused})
    else:
        _print(taken, refused)
    if refused:
        click.get_current_context().exit(EXIT_REFUSED)


def _take(
    access: Access,
    name: str,
    file: BinaryIO,
    taken: list[dict[str, Any]],
    refused: list[dict[str, str]],
) -> None:
    from leasehold_documents import papers
    from leasehold_documents.errors import Rejected
    from leasehold_documents.settings import settings
    from leasehold_documents.vault import vault_of

    try:
        taken.append(papers.add(access, vault_of(settings()), name, file))
    except Rejected as error:
        refused.append({"name": name, "code": error.code, "reason": error.reason})


def _name_of(file: BinaryIO) -> str:
    path = getattr(file, "name", None)
    is_named = isinstance(path, str) and file is not sys.stdin.buffer and path != "<stdin>"
    return PurePath(str(path)).name if is_named else "stdin"


def _told(row: dict[str, Any]) -> dict[str, Any]:
    return {name: row[name] for name in _SHOWN}


def _print(taken: list[dict[str, Any]], refused: list[dict[str, str]]) -> None:
    for row in taken:
        twin = f", the same as {row['duplicate_of']}" if row["duplicate_of"] else ""
        click.echo(f"{row['id']}  {row['name']} ({row['media_type']}{twin})")
    for each in refused:
        click.echo(f"{each['name']} was refused, {each['code']}: {each['reason']}", err=True)
    if taken:
        click.echo(f"  leasehold-documents estimate {taken[0]['id']}  says what it costs", err=True)


@click.command("list", cls=Command, example="leasehold-documents list --type Rechnung --limit 10")
@click.option("--type", "doc_type", help="Only papers of this type.")
@click.option("--limit", type=click.IntRange(1, 1000), default=50, show_default=True)
@acting
@with_session
def list_(
    session: Session, /, *, doc_type: str | None, limit: int, tenant: str | None, user: str | None
) -> None:
    """List the organization's papers, newest first."""
    from leasehold_documents import papers

    with open_access(session, Who(tenant, user)) as access:
        rows = papers.page(access, limit=limit, doc_type=doc_type).rows
    if session.is_json:
        print_json({"documents": [_told(row) for row in rows]})
        return
    table = make_table("id", "name", "type", "pages", "came")
    for row in rows:
        came = f"{row['created_at']:%Y-%m-%d %H:%M}"
        pages = row["page_count"] or ""
        table.add_row(*map(cell, (row["id"], row["name"], row["doc_type"] or "", pages, came)))
    print_rows(table, empty="no papers yet: leasehold-documents upload", rows=rows)
