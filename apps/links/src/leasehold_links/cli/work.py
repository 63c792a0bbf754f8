"""`leasehold-links work`: import and enrich."""

from __future__ import annotations

import time
from typing import TYPE_CHECKING

import click

from leasehold.cli.kit import (
    Command,
    logging_options,
    os_user,
    print_report,
    read_duration,
    senders,
    sending_options,
    set_up_logging,
    with_session,
)
from leasehold_links.cli.opening import open_library

if TYPE_CHECKING:
    from leasehold.cli.kit import Session

_EXAMPLE = """\
leasehold-links work
leasehold-links work --n 10 --k 2 --budget 45"""
_LEAST_SECONDS = 0.1


@click.command(cls=Command, example=_EXAMPLE)
@click.option(
    "--n",
    "at_once",
    type=click.IntRange(1, 1000),
    default=10,
    show_default=True,
    help="Enrichments at once, in this process.",
)
@click.option(
    "--k",
    "per_domain",
    type=click.IntRange(1, 100),
    help="Requests at once for each domain, in all processes and from now on.  [default: 2]",
)
@click.option(
    "--budget",
    type=read_duration,
    metavar="TIME",
    help="End within this time, start-up included; also when nothing is ready.",
)
@click.option("--until-empty", is_flag=True, help="End when nothing is ready.")
@logging_options
@sending_options
@with_session
def work(
    session: Session,
    /,
    *,
    at_once: int,
    per_domain: int | None,
    budget: float | None,
    until_empty: bool,
    log_level: str,
    log_format: str,
    otel: bool,
    sentry: bool,
) -> None:
    """Import files and enrich links until SIGTERM or Ctrl-C.

    Several of these may run, on several machines; a domain never gets more than its limit from all
    of them together. What --k says stays until it is said anew.
    """
    started = time.monotonic()
    from leasehold_links.working import make_worker, set_limit

    set_up_logging(log_level, log_format)
    with open_library(session, may_create=True) as (client, _):
        if per_domain is not None:
            set_limit(client, per_domain, by=os_user() or "leasehold-links work")
        observers = senders(otel=otel, sentry=sentry, failed=True)
        worker = make_worker(client, at_once=at_once, observers=observers)
        report = worker.run(
            until_empty=True if until_empty else None,
            budget=None if budget is None else max(_LEAST_SECONDS, _left(budget, started)),
        )
    print_report(session, report, time.monotonic() - started)
    click.get_current_context().exit(report.exit_code)


def _left(budget: float, started: float) -> float:
    return budget - (time.monotonic() - started)
