"""`leasehold`, the command that holds all others."""

from __future__ import annotations

import click

from leasehold._version import __version__
from leasehold.cli.alerts import alerts
from leasehold.cli.audit import audit
from leasehold.cli.batches import batches
from leasehold.cli.bench import bench
from leasehold.cli.commands import Program
from leasehold.cli.credentials import credentials
from leasehold.cli.doctor import doctor
from leasehold.cli.draw import draw
from leasehold.cli.enqueue import enqueue
from leasehold.cli.jobs import jobs
from leasehold.cli.keyring import keyring
from leasehold.cli.keys import keys
from leasehold.cli.migrate import migrate
from leasehold.cli.move import move
from leasehold.cli.queues import queues, workers
from leasehold.cli.quotas import quotas
from leasehold.cli.retention import prune, retention
from leasehold.cli.schedules import schedules
from leasehold.cli.serve import serve
from leasehold.cli.shares import shares
from leasehold.cli.stats import failures, stats
from leasehold.cli.throttles import throttles
from leasehold.cli.tokens import token
from leasehold.cli.top import top
from leasehold.cli.why import why
from leasehold.cli.work import work

EXIT_CODES = """\
\b
Exit codes:
  0   done
  1   refused or failed: a job's state forbids it, doctor found a problem, drained jobs still run
  2   wrong usage: an option or an argument can't be used
  3   not found, or the tables are not up to date (run `leasehold migrate`)
  4   the database can't be reached, is busy or full: trying again may help
  70  (work) a handler could not be stopped, and the process had to end
"""


@click.group(cls=Program, example="leasehold work shop.tasks", notes=EXIT_CODES)
@click.version_option(__version__, message="%(prog)s %(version)s")
def program() -> None:
    """A job queue in the database you already have.

    The database is the one that --url or LEASEHOLD_URL names, else sqlite:///leasehold.db.
    """


for _command in (
    *(
        work,
        serve,
        enqueue,
        jobs,
        batches,
        why,
        keys,
        queues,
        schedules,
        throttles,
        shares,
        quotas,
        workers,
    ),
    *(stats, failures, top, retention, prune, alerts, token, audit, keyring, credentials),
    *(migrate, move, doctor, bench),
):
    program.add_command(_command)
batches.add_command(draw)
