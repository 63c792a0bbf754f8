"""`leasehold-links`, the command that holds all others."""

from __future__ import annotations

from typing import TYPE_CHECKING

import click

from leasehold.cli.kit import Program
from leasehold.kit.cli import migrate_command, serve_command
from leasehold_links.cli.dead import dead
from leasehold_links.cli.domains import domains
from leasehold_links.cli.export import export
from leasehold_links.cli.import_ import import_
from leasehold_links.cli.opening import migrations
from leasehold_links.cli.status import status
from leasehold_links.cli.urlkey import urlkey
from leasehold_links.cli.work import work

if TYPE_CHECKING:
    from leasehold.web import Application

EXIT_CODES = """\
\b
Exit codes:
  0   done
  1   refused or failed: no bookmark file, a file that is too large
  2   wrong usage: an option or an argument can't be used
  3   not found, or the tables are not up to date (run `leasehold-links migrate`)
  4   the database can't be reached, is busy or full: trying again may help
  5   (import --wait) the import failed
  6   (import --wait) the import was cancelled
"""


def _make() -> list[Application]:
    from leasehold_links.web import application

    return [application()]


def _make_demo() -> Application:
    from leasehold_links.demo import application

    return application()


NAME = "leasehold-links"
serve = serve_command(NAME, "/links/", _make, make_demo=_make_demo)
migrate = migrate_command(NAME, migrations)


@click.group(NAME, cls=Program, example="leasehold-links import bookmarks.html", notes=EXIT_CODES)
@click.version_option(package_name=NAME, message="%(prog)s %(version)s")
def program() -> None:
    """A library of links that enriches itself.

    The database is the one that --url or LEASEHOLD_URL names, else sqlite:///leasehold.db.
    """


for _command in (import_, export, status, dead, domains, urlkey, work, serve, migrate):
    program.add_command(_command)
