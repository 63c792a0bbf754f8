"""`leasehold-links export`: the library as a bookmark file."""

from __future__ import annotations

from typing import TYPE_CHECKING

import click

from leasehold.cli.kit import Command, with_session
from leasehold_links.cli.opening import USER, open_library

if TYPE_CHECKING:
    from typing import TextIO

    from leasehold.cli.kit import Session

_EXAMPLE = """\
leasehold-links export bookmarks.html
leasehold-links export --user ada - | gzip > bookmarks.html.gz"""


@click.command(cls=Command, example=_EXAMPLE)
@click.argument("file", type=click.File("w", encoding="utf-8", atomic=True), default="-")
@USER
@with_session
def export(session: Session, file: TextIO, *, user_id: str) -> None:
    """Write a library as a bookmark file that browsers, and `import`, read; - is stdout.

    A file that is there already is replaced once the new one is whole.
    """
    from leasehold_links.exporting import export_bookmarks

    with open_library(session) as library:
        file.writelines(export_bookmarks(library.database, user_id))
