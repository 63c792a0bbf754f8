"""`leasehold-links`, the command that holds all others."""

from __future__ import annotations

import click

from leasehold.cli.kit import Program
from leasehold_links.cli.dead import dead
from leasehold_links.cli.domains import domains
from leasehold_links.cli.export import export
from leasehold_links.cli.import_ import import_
from leasehold_links.cli.migrate import migrate
from leasehold_links.cli.serve import serve
from leasehold_links.cli.status import status
from leasehold_links.cli.urlkey import urlkey
from leasehold_links.cli.work import work

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


@click.group(cls=Program, example="leasehold-links import bookmarks.html", notes=EXIT_CODES)
@click.version_option(package_name="leasehold-links", message="%(prog)s %(version)s")
def program() -> None:
    """A library of links that enriches itself.

    The database is the one that --url or LEASEHOLD_URL names, else sqlite:///leasehold.db.
    """


for _command in (import_, export, status, dead, domains, urlkey, work, serve, migrate):
    program.add_command(_command)
