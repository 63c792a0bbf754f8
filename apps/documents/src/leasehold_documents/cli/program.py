"""`leasehold-documents`, the command that holds all others."""

from __future__ import annotations

from typing import TYPE_CHECKING

import click

from leasehold.cli.kit import Program
from leasehold.kit.cli import migrate_command, serve_command
from leasehold_documents.cli.extract import estimate, extract
from leasehold_documents.cli.extract_server import extract_server
from leasehold_documents.cli.import_ import import_
from leasehold_documents.cli.init import init
from leasehold_documents.cli.jobs import jobs
from leasehold_documents.cli.opening import migrations
from leasehold_documents.cli.search import reindex, search
from leasehold_documents.cli.tenant import tenant
from leasehold_documents.cli.upload import list_, upload
from leasehold_documents.cli.user import token, user
from leasehold_documents.cli.work import work
from leasehold_documents.settings import ALIASES

if TYPE_CHECKING:
    from leasehold.alerting import AlertConfig
    from leasehold.web import Application

EXIT_CODES = """\
\b
Exit codes:
  0   done
  1   refused or failed: a file that will never do, a right that is missing
  2   wrong usage: an option or an argument can't be used
  3   no such thing, or the tables are not up to date (run `leasehold-documents migrate`)
  4   the database can't be reached, is busy or full: trying again may help
  5   (extract, import --wait) it failed for good
  6   (extract, import --wait) it was cancelled
"""
NAME = "leasehold-documents"
EXAMPLE = """\
leasehold-documents init --tenant Lindenhof --user anna@example.org
leasehold-documents upload Mietvertrag.pdf
leasehold-documents extract Mietvertrag.pdf --yes --wait
leasehold-documents search vertrag
leasehold-documents serve"""


def _make() -> list[Application]:
    from leasehold_documents.web import application

    return [application()]


def _make_demo() -> Application:
    from leasehold_documents.demo import application

    return application()


def _make_alerts() -> AlertConfig:
    from leasehold_documents.monitoring import alert_config

    return alert_config()


serve = serve_command(
    NAME,
    "/documents/",
    _make,
    make_demo=_make_demo,
    make_alerts=_make_alerts,
    aliases=ALIASES,
)
migrate = migrate_command(NAME, migrations)


@click.group(NAME, cls=Program, example=EXAMPLE, notes=EXIT_CODES)
@click.version_option(package_name=NAME, message="%(prog)s %(version)s")
def program() -> None:
    """Many tenants' papers: extracted with consent and a known price, classified, and found.

    The database is the one that --url or LEASEHOLD_URL names, else sqlite:///leasehold.db; the
    files are in the folder or bucket that LEASEHOLD_DOCUMENTS_VAULT names.
    """


_PEOPLE = (init, tenant, user, token)
_PAPERS = (upload, list_, estimate, extract, search, reindex, import_)
for _command in (*_PEOPLE, *_PAPERS, jobs, work, serve, extract_server, migrate):
    program.add_command(_command)
