"""`leasehold-links urlkey`: when two addresses are one link."""

from __future__ import annotations

from typing import TYPE_CHECKING

import click

from leasehold.cli.kit import Command, print_json, with_session

if TYPE_CHECKING:
    from leasehold.cli.kit import Session

_EXAMPLE = """\
leasehold-links urlkey 'http://www.example.com/?utm_source=mail&a=1'
leasehold-links urlkey https://example.com/a https://example.com/a/#top"""


@click.command(cls=Command, example=_EXAMPLE)
@click.argument("urls", nargs=-1, required=True, metavar="URL...")
@with_session
def urlkey(session: Session, urls: tuple[str, ...]) -> None:
    """Show the key of an address: two addresses with one key are one link.

    With --json also its host, its domain and whether it is shared between people.
    """
    from leasehold_links.model.addresses import KEY_VERSION, read_address

    found = [read_address(url) for url in urls]
    if session.is_json:
        told = [each._asdict() | {"key_hash": each.key_hash.hex()} for each in found]
        print_json({"key_version": KEY_VERSION, "addresses": told})
        return
    for each in found:
        click.echo(each.key)
