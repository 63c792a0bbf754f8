"""`leasehold keyring`: the keys that encrypt, and rotating them."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING

import click

from leasehold.cli.commands import Group, with_session

if TYPE_CHECKING:
    from leasehold.cli.session import Session
    from leasehold.encryption import KeyUse
    from leasehold.reencrypting import ReencryptReport
    from leasehold.sealing.keyring import Keyring

_KEY = click.argument("key", metavar="KEY")


@click.group(cls=Group, example="leasehold keyring rotate && leasehold keyring reencrypt")
def keyring() -> None:
    """Make, list, rotate and retire the keys that encrypt jobs; they are never in the database."""


@keyring.command("init", example="leasehold keyring init keys.json")
@click.argument("file", type=click.Path())
@with_session
def make_keys(session: Session, *, file: str) -> None:
    """Make a first key, in a FILE that only its owner can read."""
    from leasehold.sealing.keyring import Keyring

    Keyring.generate().save(file)
    _say(session, {"file": file, "active": "k1"}, f"{file}: set LEASEHOLD_KEYS to it")


@keyring.command("list", example="leasehold keyring list --count")
@click.option("--count", is_flag=True, help="Count the rows each is needed for; reads everything.")
@with_session
def list_keys(session: Session, *, count: bool) -> None:
    """List the keys, which one encrypts now, and how far the workers are with the others'."""
    from leasehold.cli.output import plain, print_json

    with session.client() as client:
        found = client.encryption.keys(count=count)
        background = client.encryption.background()
    if session.is_json:
        print_json({"keys": [plain(each) for each in found], "background": background})
    else:
        _print(found, background)


@keyring.command("add", example="leasehold keyring add k2")
@click.argument("key", metavar="[KEY]", required=False)
@with_session
def add_key(session: Session, *, key: str | None) -> None:
    """Add a key that only decrypts yet: copy the file to every machine, then activate it."""
    added = _keyring().add(key)
    _say(session, {"key": added}, f"{added} added; `leasehold keyring activate {added}` uses it")


@keyring.command("activate", example="leasehold keyring activate k2")
@_KEY
@with_session
def activate_key(session: Session, *, key: str) -> None:
    """Encrypt with this KEY from now on."""
    _keyring().activate(key)
    _say(session, {"key": key, "active": True}, f"{key} encrypts from now on")


@keyring.command("rotate", example="leasehold keyring rotate")
@with_session
def rotate_keys(session: Session) -> None:
    """Add a key and encrypt with it at once: for one machine, or a file that all of them share."""
    keys = _keyring()
    added = keys.add()
    keys.activate(added)
    _say(session, {"key": added, "active": True}, f"{added} encrypts from now on")


@keyring.command("reencrypt", example="leasehold keyring reencrypt")
@with_session
def reencrypt(session: Session) -> None:
    """Bring all that is encrypted to the key of now, beside running jobs; safe to repeat."""
    from leasehold.cli.output import plain, print_json

    with session.client() as client:
        report = client.encryption.reencrypt(progress=None if session.is_json else _tell)
    if session.is_json:
        print_json({"reencrypted": plain(report)})
        return
    click.echo(f"{report.changed:,} values encrypted anew, {report.seen:,} rows looked at")
    for key, rows in report.left.items():
        what = f"need the key {key}, which is not here" if key else "were tampered with"
        click.echo(f"{rows:,} {what}", err=True)


@keyring.command("retire", example="leasehold keyring retire k1")
@_KEY
@with_session
def retire_key(session: Session, *, key: str) -> None:
    """Take a KEY out of the file for good; refused while anything in the database needs it."""
    with session.client() as client:
        client.encryption.retire(key)
    _say(session, {"key": key, "retired": True}, f"{key} is gone")


def _keyring() -> Keyring:
    from leasehold.errors import NoKeyring
    from leasehold.sealing.keyring import VARIABLE, Keyring

    source = os.environ.get(VARIABLE)
    if not source:
        raise NoKeyring
    return Keyring.read(source)


def _say(session: Session, document: dict[str, object], text: str) -> None:
    from leasehold.cli.output import print_json

    if session.is_json:
        print_json(document)
    else:
        click.echo(text)


def _tell(report: ReencryptReport) -> None:
    if report.seen % 50_000 < 500:  # noqa: PLR2004 - now and then: a step is 500 rows
        click.echo(f"{report.seen:,} rows, {report.changed:,} changed", err=True)


def _print(found: list[KeyUse], background: str | None) -> None:
    from leasehold.cli.output import cell, make_table, print_rows

    table = make_table("key", "", "tenants", "rows")
    for each in found:
        state = "active" if each.is_active else "" if each.is_here else "missing here"
        rows = "" if each.rows is None else f"{each.rows:,}"
        table.add_row(cell(each.id), cell(state), cell(", ".join(each.tenants)), cell(rows))
    print_rows(table, empty="No keys here: `leasehold keyring init FILE`.", rows=found)
    if background is not None:
        click.echo(f"workers: {background}")
