"""`leasehold-sync work` and `cleanup`: what a cron job or a short-lived function calls."""

from __future__ import annotations

import signal
from contextlib import contextmanager
from typing import TYPE_CHECKING

import click

from leasehold.cli.kit import (
    Command,
    answer,
    logging_options,
    read_duration,
    set_up_logging,
    with_session,
)
from leasehold_sync.cli.opening import job_named, open_sync

if TYPE_CHECKING:
    from collections.abc import Iterator

    from leasehold.cli.kit import Session
    from leasehold_sync.working import Run

_EXAMPLE = """\
leasehold-sync work --budget 45
leasehold-sync work --job shop --max-tasks 1"""


@click.command(cls=Command, example=_EXAMPLE)
@click.option(
    "--budget",
    type=read_duration,
    default="45",
    show_default="45",
    metavar="TIME",
    help="Begin nothing after this time; a tenth more, and it has ended.",
)
@click.option("--job", metavar="JOB|APP", help="Only this sync, or the newest one of this app.")
@click.option("--max-tasks", type=click.IntRange(1), help="No more tasks than that.")
@logging_options
@with_session
def work(
    session: Session,
    /,
    *,
    budget: float,
    job: str | None,
    max_tasks: int | None,
    log_level: str,
    log_format: str,
) -> None:
    """Work on syncs, one task at a time, until nothing waits or the time is over.

    Whatever is not done hands itself back with its cursor: the next one, anywhere, goes on there.
    A worker that stays is in `leasehold-sync serve`.
    """
    from leasehold_sync.working import Run

    set_up_logging(log_level, log_format)
    with open_sync(session, may_create=True) as (client, database):
        run = Run(
            client,
            database,
            job_id=None if job is None else job_named(database, job),
            max_tasks=max_tasks,
            budget_seconds=budget,
        )
        with _stopped_by_signals(run):
            report = run.run()
    told = (
        f"{report.tasks_processed} tasks, {report.jobs_completed} syncs completed"
        f" in {report.duration_ms / 1000:.1f} s ({report.shutdown_reason})"
    )
    answer(session, told, **report._asdict())


@contextmanager
def _stopped_by_signals(run: Run) -> Iterator[None]:
    """Hand back what runs on SIGTERM or Ctrl-C."""
    before = {
        number: signal.signal(number, lambda *_: run.stop())
        for number in (signal.SIGTERM, signal.SIGINT)
    }
    try:
        yield
    finally:
        for number, handler in before.items():
            signal.signal(number, handler)


@click.command(cls=Command, example="leasehold-sync cleanup --days 7")
@click.option(
    "--days", type=click.FloatRange(0), default=7, show_default=True, help="What ended before."
)
@with_session
def cleanup(session: Session, *, days: float) -> None:
    """Take away ended syncs. What was synced stays, and so does the newest sync of each app."""
    from leasehold_sync.retaining import clean

    with open_sync(session) as (client, database):
        gone = clean(client, database, days=days)
    answer(session, f"{gone} syncs taken away", syncs=gone)
