"""`leasehold token`: who may use the service."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import click

from leasehold.cli.commands import Listing, with_session
from leasehold.cli.controlling import BY, answer
from leasehold.cli.values import read_duration

if TYPE_CHECKING:
    from datetime import datetime

    from leasehold.cli.session import Session
    from leasehold.model.access import Token

_EXAMPLE = """\
leasehold token add ci --scope operate --expires 90d
leasehold token add acme --scope operate --tenant acme
leasehold token revoke ci"""


@click.group(cls=Listing, example=_EXAMPLE)
@with_session
def token(session: Session, /) -> None:
    """Show the tokens with which programs and people use the service.

    As soon as there is one, nobody uses the service without.
    """
    _print(session)


@token.command("add", example=_EXAMPLE)
@click.argument("name")
@click.option(
    "--scope",
    type=click.Choice(["read", "operate", "admin"]),
    default="read",
    show_default=True,
    help="What it may do; each includes those before it.",
)
@click.option("--tenant", help="It sees and changes only what is this tenant's.")
@click.option("--expires", type=read_duration, metavar="TIME", help="It is good for so long.")
@BY
@with_session
def add(session: Session, /, *, name: str, by: str | None, **words: Any) -> None:
    """Make a token and print it: nobody can see it again."""
    with session.client(may_create=True) as client:  # before the first `serve`, perhaps
        made = client.tokens.add(name, by=by, **words)
    if session.is_json:
        from leasehold.cli.output import print_json

        print_json({"token": made.secret, **_fields(made.token)})
        return
    click.echo(made.secret)
    click.echo("Keep it now: it is not shown again.", err=True)


@token.command("list", example="leasehold token list")
@with_session
def list_tokens(session: Session, /) -> None:
    """List all tokens, those that were revoked or have expired too."""
    _print(session)


@token.command("revoke", example="leasehold token revoke ci")
@click.argument("name")
@with_session
def revoke(session: Session, /, *, name: str) -> None:
    """Let a token be good for nothing any more, within a second, and end its sessions."""
    from leasehold.cli.failing import NotFound

    with session.client() as client:
        if not client.tokens.revoke(name):
            raise NotFound(f"there is no token {name!r} that stands")
    answer(session, f"{name}: revoked", name=name, is_revoked=True)


def _print(session: Session) -> None:
    with session.client() as client:
        found = list(client.tokens.list())
    if session.is_json:
        from leasehold.cli.output import print_json

        print_json({"tokens": [_fields(each) for each in found]})
        return
    _print_table(found)


def _print_table(found: list[Token]) -> None:
    from datetime import UTC, datetime

    from leasehold.cli.output import cell, make_table, print_rows

    now = datetime.now(UTC)
    table = make_table("token", "scope", "tenant", "state", "expires", "last used")
    for each in found:
        words = (each.right.value, "all" if each.tenant is None else each.tenant, _state(each, now))
        table.add_row(
            cell(each.name),
            *map(cell, words),
            cell(_moment(each.expires_at)),
            cell(_moment(each.last_used_at)),
        )
    print_rows(table, empty="No token: nobody is asked who they are.", rows=found)


def _state(token: Token, now: datetime) -> str:
    if token.revoked_at is not None:
        return "revoked"
    return "stands" if token.stands(now) else "expired"


def _moment(moment: datetime | None) -> str:
    return "-" if moment is None else f"{moment:%Y-%m-%d %H:%MZ}"


def _fields(token: Token) -> dict[str, Any]:
    return {
        "id": token.id,
        "name": token.name,
        "scope": token.right.value,
        "tenant": token.tenant,
        "created_at": token.created_at,
        "created_by": token.created_by,
        "expires_at": token.expires_at,
        "revoked_at": token.revoked_at,
        "last_used_at": token.last_used_at,
    }
