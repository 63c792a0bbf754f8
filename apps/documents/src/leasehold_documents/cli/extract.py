"""`leasehold-documents estimate` and `extract`: what reading costs, and reading after a yes."""

from __future__ import annotations

import sys
from typing import TYPE_CHECKING, Any, NamedTuple
from uuid import UUID

import click

from leasehold.cli.kit import (
    Command,
    cell,
    make_table,
    print_json,
    show,
    with_session,
)
from leasehold_documents.cli.finding import DOCUMENTS, ENGINE, document_named, engine_named
from leasehold_documents.cli.opening import Who, access_of, acting, open_access, open_documents

if TYPE_CHECKING:
    from collections.abc import Sequence

    import leasehold as lh
    from leasehold.cli.kit import Session
    from leasehold_documents.access import Access
    from leasehold_documents.cli.waiting import Ended

_EXAMPLE = """\
leasehold-documents extract Mietvertrag.pdf
leasehold-documents extract Mietvertrag.pdf Rechnung.docx --yes --wait
leasehold-documents extract Scan.pdf --engine hires --yes"""


class Priced(NamedTuple):
    """A document, and what reading it costs."""

    document_id: UUID
    name: str
    extraction_id: UUID
    pages: int
    cents: int


@click.command(cls=Command, example="leasehold-documents estimate Scan.pdf --engine hires")
@DOCUMENTS
@ENGINE
@acting
@with_session
def estimate(
    session: Session,
    /,
    *,
    documents: Sequence[str],
    engine: str,
    tenant: str | None,
    user: str | None,
) -> None:
    """Say what reading papers costs, by id or name. Nothing is read or charged by that."""
    with open_access(session, Who(tenant, user)) as access:
        priced = _price(access, documents, engine)
    if session.is_json:
        print_json(_document(priced))
    else:
        _print(priced)


@click.command(cls=Command, example=_EXAMPLE)
@DOCUMENTS
@ENGINE
@click.option("--yes", "is_agreed", is_flag=True, help="Agree to what it costs.")
@click.option("--password", is_flag=True, help="Ask for the password of an encrypted file.")
@click.option("--wait", "is_waiting", is_flag=True, help="Return when all of them have ended.")
@acting
@with_session
def extract(
    session: Session,
    /,
    *,
    documents: Sequence[str],
    engine: str,
    is_agreed: bool,
    password: bool,
    is_waiting: bool,
    tenant: str | None,
    user: str | None,
) -> None:
    """Read papers, after you have agreed to what that costs.

    A worker does it (`leasehold-documents work`); with --wait this command does it where no worker
    is. A password is kept encrypted (LEASEHOLD_KEYS), for one attempt.
    """
    from leasehold_documents import billing

    with open_documents(session) as opened:
        access = access_of(opened, Who(tenant, user))
        priced = _price(access, documents, engine)
        _ask(session, priced, is_agreed=is_agreed)
        secret = _password() if password else None
        jobs = [billing.confirm(access, each.extraction_id, password=secret) for each in priced]
        told = _document(priced, jobs)
        if is_waiting:
            _wait(session, opened.client, priced, jobs, told)
        elif session.is_json:
            print_json(told)
        else:
            _print_waiting(priced)


def _price(access: Access, names: Sequence[str], engine: str) -> list[Priced]:
    from leasehold_documents import billing
    from leasehold_documents.settings import settings
    from leasehold_documents.vault import vault_of

    vault = vault_of(settings())
    priced = []
    for name in names:
        row = document_named(access, name)
        found = billing.estimate(access, vault, row["id"], engine_named(engine))
        priced.append(Priced(row["id"], row["name"], *found))
    return priced


def _ask(session: Session, priced: list[Priced], *, is_agreed: bool) -> None:
    """Nobody is charged who has not agreed: neither a pipe nor a script without --yes."""
    if not session.is_json:
        _print(priced)
    if is_agreed:
        return
    cost = _euros(sum(each.cents for each in priced))
    if session.is_json or not sys.stdin.isatty():
        raise click.UsageError(f"this costs {cost}: agree to it by --yes")
    click.confirm(f"Read them for {cost}?", abort=True)


def _password() -> str:
    said: str = click.prompt("Password", hide_input=True, err=True)
    return said


def _wait(
    session: Session,
    client: lh.Client,
    priced: list[Priced],
    jobs: list[UUID],
    told: dict[str, Any],
) -> None:
    from leasehold_documents.cli.waiting import follow

    ended = follow(client, jobs, lambda text: click.echo(text, err=True))
    for each, end in zip(told["extractions"], ended, strict=True):
        each |= {"status": end.status, "error": end.error, **(end.result or {})}
    if session.is_json:
        print_json(told)
    else:
        for each, end in zip(priced, ended, strict=True):
            click.echo(f"{each.name}: {_told(end)}")
    click.get_current_context().exit(max(end.exit_code for end in ended))


def _told(end: Ended) -> str:
    if end.result is None:
        return f"{end.status}, {end.error}"
    pages, kind = end.result["page_count"], end.result["doc_type"]
    return f"{pages} {'page' if pages == 1 else 'pages'}, {kind or 'of no known type'}"


def _print(priced: list[Priced]) -> None:
    table = make_table("document", "pages", "cost")
    for each in priced:
        table.add_row(cell(each.name), cell(each.pages), cell(_euros(each.cents)))
    show(table)


def _print_waiting(priced: list[Priced]) -> None:
    plural = "paper waits" if len(priced) == 1 else "papers wait"
    click.echo(f"{len(priced)} {plural} for a worker: leasehold-documents work")


def _document(priced: list[Priced], jobs: Sequence[UUID | None] = ()) -> dict[str, Any]:
    found = [each._asdict() for each in priced]
    for each, job_id in zip(found, jobs, strict=False):
        each["job_id"] = job_id
    return {"extractions": found, "cents": sum(each.cents for each in priced)}


def _euros(cents: int) -> str:
    return f"{cents / 100:,.2f} €"
