"""`leasehold-documents search` and `reindex`: what stands in the papers."""

from __future__ import annotations

import re
from dataclasses import asdict
from html import unescape
from typing import TYPE_CHECKING

import click

from leasehold.cli.kit import (
    Command,
    answer,
    cell,
    make_table,
    print_json,
    print_rows,
    with_session,
)
from leasehold_documents.cli.opening import (
    TENANT,
    Who,
    acting,
    open_access,
    open_documents,
    tenant_of,
)

if TYPE_CHECKING:
    from collections.abc import Sequence

    from leasehold.cli.kit import Session

_EXAMPLE = """\
leasehold-documents search vertrag
leasehold-documents search 'mietvertrag oder kündigung' -- -entwurf
leasehold-documents search '"fristgerecht zum"' --limit 5 --json"""
_MARK = re.compile(r"</?mark>")


@click.command(cls=Command, example=_EXAMPLE)
@click.argument("words", nargs=-1, required=True, metavar="WORD...")
@click.option("--limit", type=click.IntRange(1, 100), default=20, show_default=True)
@acting
@with_session
def search(
    session: Session,
    /,
    *,
    words: Sequence[str],
    limit: int,
    tenant: str | None,
    user: str | None,
) -> None:
    """Find papers by what stands in them, in German and English; the best first.

    All words must be there, in any form: "vertrag" finds "Mietvertrag". `oder` (or `or`) between
    two, "…" around a phrase, - before what must not be there, * behind a beginning.
    """
    from leasehold_documents import searching

    with open_access(session, Who(tenant, user)) as access:
        hits = searching.search(access, " ".join(words), limit=limit)
    if session.is_json:
        print_json({"hits": [asdict(hit) for hit in hits]})
        return
    table = make_table("document", "page", "")
    for hit in hits:
        shown = unescape(_MARK.sub("", hit.headline))
        table.add_row(cell(hit.name), cell(hit.page_number or ""), cell(shown))
    print_rows(table, empty="nothing was found", rows=hits)


@click.command(cls=Command, example="leasehold-documents reindex --tenant Lindenhof")
@TENANT
@click.option("--all", "is_all", is_flag=True, help="Of all organizations.")
@with_session
def reindex(session: Session, *, tenant: str | None, is_all: bool) -> None:
    """Write anew what search looks at, from the chunks. Searches go on meanwhile."""
    from leasehold_documents import searching
    from leasehold_documents.access import Service

    with open_documents(session) as (client, database):
        whose = None if is_all else tenant_of(database, tenant)
        chunks = searching.reindex(Service(client, database), whose)
    answer(session, f"{chunks:,} chunks were indexed anew", chunks=chunks)
