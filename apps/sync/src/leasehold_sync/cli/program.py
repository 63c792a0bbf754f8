"""`leasehold-sync`, the command that holds all others."""

from __future__ import annotations

from typing import TYPE_CHECKING

import click

from leasehold.cli.kit import Program
from leasehold.kit.cli import migrate_command, serve_command
from leasehold_sync.cli.apps import apps, check
from leasehold_sync.cli.deciding import cancel, retry
from leasehold_sync.cli.opening import migrations
from leasehold_sync.cli.run import run
from leasehold_sync.cli.status import status
from leasehold_sync.cli.work import cleanup, work
from leasehold_sync.settings import ALIASES

if TYPE_CHECKING:
    from leasehold.web import Application

EXIT_CODES = """\
\b
Exit codes:
  0   done
  1   refused or failed: the source says no, another sync of the app runs, it has ended
  2   wrong usage: an option or an argument can't be used
  3   no such app or sync, or the tables are not up to date (run `leasehold-sync migrate`)
  4   the database can't be reached, is busy or full: trying again may help
"""
NAME = "leasehold-sync"
EXAMPLE = """\
leasehold-sync apps add shop --connector stripe --credential env:STRIPE_KEY
leasehold-sync run shop --full
leasehold-sync work --budget 45
leasehold-sync status shop"""


def _make() -> list[Application]:
    from leasehold_sync.web import application

    return [application()]


def _make_demo() -> Application:
    from leasehold_sync.demo import application

    return application()


serve = serve_command(NAME, "/sync/ui/", _make, make_demo=_make_demo, aliases=ALIASES)
migrate = migrate_command(NAME, migrations)


@click.group(NAME, cls=Program, example=EXAMPLE, notes=EXIT_CODES)
@click.version_option(package_name=NAME, message="%(prog)s %(version)s")
def program() -> None:
    """Data of other services, kept in step: Stripe, Notion, Intercom.

    The database is the one that --url or LEASEHOLD_URL names, else sqlite:///leasehold.db.
    """


for _command in (run, status, cancel, retry, work, cleanup, check, apps, serve, migrate):
    program.add_command(_command)
