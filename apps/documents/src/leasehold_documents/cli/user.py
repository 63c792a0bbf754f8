"""`leasehold-documents user` and `token`: people, where they belong, and how programs sign in."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta
from functools import partial
from typing import TYPE_CHECKING

import click

from leasehold.cli.kit import (
    Command,
    Listing,
    answer,
    cell,
    make_table,
    print_json,
    print_rows,
    read_duration,
    with_session,
)
from leasehold_documents.cli.opening import TENANT, open_documents, tenant_of, user_named

if TYPE_CHECKING:
    from leasehold.cli.kit import Session

_EXAMPLE = """\
leasehold-documents user
leasehold-documents user add anna@example.org --tenant Lindenhof --role admin
leasehold-documents user remove anna@example.org --tenant Lindenhof"""


@click.group(cls=Listing, example=_EXAMPLE)
@with_session
def user(session: Session) -> None:
    """List people; let them into an organization, or shut them out."""
    _list(session)


@user.command("list", example="leasehold-documents user list --json")
@with_session
def list_(session: Session) -> None:
    """List people with their organizations."""
    _list(session)


def _list(session: Session) -> None:
    from leasehold_documents.data import people

    with open_documents(session) as (_, database), database.read() as connection:
        rows = [
            row
            | {"tenants": [each._asdict() for each in people.memberships_of(connection, row["id"])]}
            for row in people.find_users(connection)
        ]
    if session.is_json:
        print_json({"users": rows})
        return
    table = make_table("person", "name", "organizations", "id")
    for row in rows:
        belongs = ", ".join(f"{each['name']} ({each['role']})" for each in row["tenants"])
        table.add_row(cell(row["email"]), cell(row["name"]), cell(belongs), cell(row["id"]))
    print_rows(table, empty="nobody yet: leasehold-documents user add", rows=rows)


@user.command("add", example="leasehold-documents user add anna@example.org --role admin")
@click.argument("email")
@TENANT
@click.option(
    "--role",
    type=click.Choice(["reader", "member", "admin"]),
    default="member",
    show_default=True,
    help="Readers look, members work, admins decide who is in.",
)
@click.option("--name", default="", help="What to call them.")
@click.option(
    "--language", type=click.Choice(["de", "en"]), default="de", show_default=True, help="Of pages."
)
@with_session
def add(
    session: Session, /, *, email: str, tenant: str | None, role: str, name: str, language: str
) -> None:
    """Let somebody into an organization, or change what they are there."""
    from leasehold_documents import access
    from leasehold_documents.errors import NotFound

    with open_documents(session) as (_, database):
        tenant_id = tenant_of(database, tenant)
        try:
            user_id = access.user_named(database, email)
        except NotFound:
            user_id = access.create_user(database, email, name=name, language=language)
        access.add_member(database, user_id, tenant_id, role)
    fields = {"user_id": str(user_id), "tenant_id": str(tenant_id), "role": role}
    answer(session, f"{email} is {role} now", **fields)


@user.command("remove", example="leasehold-documents user remove anna@example.org")
@click.argument("user", metavar="EMAIL|ID")
@TENANT
@with_session
def remove(session: Session, /, *, user: str, tenant: str | None) -> None:
    """Shut somebody out of an organization; what waits by their consent is cancelled."""
    from leasehold_documents import access, billing

    with open_documents(session) as (client, database):
        tenant_id, user_id = tenant_of(database, tenant), user_named(database, user)
        cancel = partial(billing.cancel_agreed, client, database)
        was_there = access.remove_member(database, user_id, tenant_id, cancel=cancel)
    told = "is shut out" if was_there else "was no member"
    answer(session, f"{user} {told}", user_id=str(user_id), was_there=was_there)


@click.command(cls=Command, example="leasehold-documents token anna@example.org --expires 8h")
@click.argument("user", metavar="EMAIL|ID")
@click.option(
    "--expires",
    type=read_duration,
    metavar="TIME",
    default="1h",
    show_default=True,
    help="How long it is good.",
)
@with_session
def token(session: Session, *, user: str, expires: float) -> None:
    """Make a bearer token (a JWT) for somebody, signed with LEASEHOLD_DOCUMENTS_SECRET.

    A program sends it as `Authorization: Bearer …`.
    """
    import jwt

    from leasehold_documents.settings import settings

    said = settings()
    if not said.secret:
        raise click.UsageError("set LEASEHOLD_DOCUMENTS_SECRET first, here and for the service")
    with open_documents(session) as (_, database):
        user_id = user_named(database, user)
    now = datetime.now(UTC)
    until = now + timedelta(seconds=expires)
    claims = {"sub": str(user_id), "iat": now, "exp": until}
    claims |= {"iss": said.jwt_issuer} if said.jwt_issuer else {}
    claims |= {"aud": said.jwt_audience} if said.jwt_audience else {}
    made = jwt.encode(claims, said.secret, algorithm="HS256")
    answer(session, made, token=made, expires_at=until.isoformat())
