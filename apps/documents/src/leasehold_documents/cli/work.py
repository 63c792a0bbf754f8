"""`leasehold-documents work`: a worker that stays, or one that a cron job calls."""

from __future__ import annotations

import time
from typing import TYPE_CHECKING

import click

from leasehold.cli.kit import (
    Command,
    logging_options,
    print_report,
    read_duration,
    senders,
    sending_options,
    set_up_logging,
    with_session,
)
from leasehold_documents.cli.opening import open_documents

if TYPE_CHECKING:
    from leasehold.cli.kit import Session

_EXAMPLE = """\
leasehold-documents work
leasehold-documents work --budget 45s
leasehold-documents work --max-jobs 1"""
_LEAST_SECONDS = 0.1


@click.command(cls=Command, example=_EXAMPLE)
@click.option(
    "--slots", type=click.IntRange(1, 1000), default=4, show_default=True, help="At once."
)
@click.option(
    "--budget",
    type=read_duration,
    metavar="TIME",
    help="End within this time, start-up included; also when nothing is ready.",
)
@click.option("--until-empty", is_flag=True, help="End when nothing is ready.")
@click.option("--max-jobs", type=click.IntRange(1), help="Start no more jobs than this, then end.")
@logging_options
@sending_options
@with_session
def work(
    session: Session,
    /,
    *,
    slots: int,
    budget: float | None,
    until_empty: bool,
    max_jobs: int | None,
    log_level: str,
    log_format: str,
    otel: bool,
    sentry: bool,
) -> None:
    """Extract, classify and import until SIGTERM or Ctrl-C.

    Several of these may run, on several machines that share the database and the vault. Small
    organizations take turns with big ones. Each watches for alerts, and each alert is told once.
    """
    started = time.monotonic()
    from leasehold.alerting import AlertWatch
    from leasehold_documents.monitoring import alert_config
    from leasehold_documents.working import make_worker

    set_up_logging(log_level, log_format)
    with (
        open_documents(session, may_create=True) as (client, _),
        AlertWatch(client, alert_config()),
    ):
        observers = senders(otel=otel, sentry=sentry, failed=True)
        worker = make_worker(client, at_once=slots, observers=observers)
        left = None if budget is None else budget - (time.monotonic() - started)
        report = worker.run(
            until_empty=True if until_empty else None,
            budget=None if left is None else max(_LEAST_SECONDS, left),
            max_jobs=max_jobs,
        )
    print_report(session, report, time.monotonic() - started)
    click.get_current_context().exit(report.exit_code)
