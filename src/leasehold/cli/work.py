"""`leasehold work`: run a worker."""

from __future__ import annotations

import time
from dataclasses import asdict
from typing import TYPE_CHECKING, Any

import click

from leasehold.cli.commands import Command, with_session
from leasehold.cli.listening import logging_options
from leasehold.cli.values import read_duration
from leasehold.cli.watching import (
    ALERTS,
    metrics_options,
    senders,
    sending_options,
    serving_metrics,
    watching_alerts,
)

if TYPE_CHECKING:
    from leasehold.cli.session import Session
    from leasehold.worker import Report, Worker

_EXAMPLE = """\
leasehold work shop.tasks
leasehold work shop.tasks:mail --queue urgent --queue mail --slots 8
leasehold work shop.tasks --queue mail=3 --queue reports=1 --budget 45s
leasehold work shop.tasks --batch 0192f0c1-2a3b-7c4d-8e5f-60718293a4b5 --max-jobs 100"""
_LEAST_SECONDS = 0.1


@click.command(cls=Command, example=_EXAMPLE)
@click.argument("tasks", nargs=-1, required=True, metavar="MODULE[:TASKS]...")
@click.option(
    "--queue", "queues", multiple=True, help="Serve this queue, in this order. Or NAME=WEIGHT."
)
@click.option(
    "--slots", multiple=True, help="How many handlers at once. Or QUEUE=N.  [default: 16]"
)
@click.option(
    "--lease",
    type=read_duration,
    metavar="TIME",
    default="60s",
    show_default=True,
    help="Lease on a job.",
)
@click.option(
    "--poll",
    type=read_duration,
    metavar="TIME",
    default="1s",
    show_default=True,
    help="Longest idle wait.",
)
@click.option(
    "--grace",
    type=read_duration,
    metavar="TIME",
    default="25s",
    show_default=True,
    help="Time to stop in.",
)
@click.option("--until-empty", is_flag=True, help="End when no job is ready.")
@click.option(
    "--budget",
    type=read_duration,
    metavar="TIME",
    help="End within this time, start-up included; also when no job is ready.",
)
@click.option("--max-jobs", type=click.IntRange(1), help="Start no more jobs than this, then end.")
@click.option(
    "--batch", metavar="ID", help="Run the jobs of this batch only; end when none is ready."
)
@click.option("--name", help="What the worker calls itself.")
@logging_options
@click.option("--log-arguments", is_flag=True, help="Show jobs' arguments in the log, cut short.")
@metrics_options
@sending_options
@ALERTS
@with_session
def work(
    session: Session,
    /,
    *,
    tasks: tuple[str, ...],
    queues: tuple[str, ...],
    slots: tuple[str, ...],
    until_empty: bool,
    budget: float | None,
    max_jobs: int | None,
    batch: str | None,
    log_level: str,
    log_format: str,
    metrics_port: int | None,
    metrics_host: str,
    otel: bool,
    sentry: bool,
    alerts: str | None,
    **options: Any,
) -> None:
    """Run the jobs of a module's tasks until SIGTERM or Ctrl-C.

    TASKS is a task, a list of tasks or a Registry in the module; without it, all its tasks. The
    first signal lets running jobs end within --grace, a second one hands them back at once.
    """
    started = time.monotonic()
    from leasehold.cli.loading import load_registry
    from leasehold.cli.logs import set_up_logging
    from leasehold.worker import Worker

    set_up_logging(log_level, log_format)
    options |= {"queues": read_queues(queues), **read_slots(slots)}
    registry = load_registry(tasks)
    with (
        session.client(may_create=True) as client,
        serving_metrics(metrics_port, metrics_host) as counting,
        watching_alerts(client, alerts, by_default=False),
    ):
        observers = [*counting, *senders(otel=otel, sentry=sentry)]
        worker = Worker(client, registry, observers=observers, **options)
        _announce(worker, session, len(registry))
        # What loading the tasks took is part of the budget; what is left of it is never nothing.
        spent = time.monotonic() - started
        report = worker.run(
            until_empty=True if until_empty else None,
            budget=None if budget is None else max(_LEAST_SECONDS, budget - spent),
            max_jobs=max_jobs,
            batch=batch,
        )
        print_report(session, report, time.monotonic() - started)
    click.get_current_context().exit(report.exit_code)


def read_queues(words: tuple[str, ...]) -> list[str] | dict[str, float] | None:
    """Read queues in strict order, or with weights as soon as one has a weight."""
    if not words:
        return None
    if not any("=" in word for word in words):
        return list(words)
    return {name: _number(weight or "1", "--queue") for name, weight in map(_pair, words)}


def read_slots(words: tuple[str, ...]) -> dict[str, int | dict[str, int]]:
    """Read one number for all, or a number for each queue."""
    if not words:
        return {}
    if len(words) == 1 and "=" not in words[0]:
        return {"slots": int(_number(words[0], "--slots"))}
    if not all("=" in word for word in words):
        raise click.UsageError("--slots: give one number, or QUEUE=N for each queue")
    return {"slots": {name: int(_number(most, "--slots")) for name, most in map(_pair, words)}}


def _pair(word: str) -> tuple[str, str]:
    name, _, number = word.partition("=")
    return name, number


def _number(text: str, option: str) -> float:
    try:
        return float(text) if option == "--queue" else int(text)
    except ValueError:
        raise click.UsageError(f"{option}: {text!r} is not a number") from None


def _announce(worker: Worker, session: Session, count: int) -> None:
    import logging

    fields = {"worker": worker.name, "tasks": count, "url": session.shown_url}
    logging.getLogger("leasehold.cli").info("worker starts", extra=fields)


def print_report(session: Session, report: Report, seconds: float) -> None:
    """Say why a run ended, and what came of it."""
    from leasehold.cli.output import print_json
    from leasehold.model.wording import span

    counts = asdict(report)
    reason, unfit = counts.pop("reason"), counts.pop("unfit")
    if session.is_json:
        ending = {"seconds": round(seconds, 3), "exit_code": report.exit_code}
        print_json({"reason": reason, **counts, "unfit": unfit, **ending})
        return
    told = ", ".join(f"{amount:,} {outcome}" for outcome, amount in counts.items() if amount)
    click.echo(f"{reason} after {span(seconds)}: {told or 'no job ran'}")
    if unfit:
        click.echo(f"Left out, too long for the time that was left: {', '.join(unfit)}")
