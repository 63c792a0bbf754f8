"""`leasehold queues` and `leasehold workers`: what waits, and who is there."""

from __future__ import annotations

from datetime import UTC, datetime
from typing import TYPE_CHECKING, Any

import click

from leasehold.cli.commands import Command, Listing, with_session
from leasehold.cli.controlling import BY, NAME, REASON, UNTIL, answer, describe_pause, pause_cell
from leasehold.cli.failing import EXIT_REFUSED
from leasehold.cli.values import read_duration, read_duration_or_off

if TYPE_CHECKING:
    from leasehold.cli.session import Session
    from leasehold.client import Client

_COUNTS = ("ready", "blocked", "scheduled", "failed", "running", "parked")
_SAID = (
    "paused_until",
    "pause_reason",
    "paused_by",
    "aging_seconds",
    "running_limit",
    "limited_by",
)
_EXAMPLE = """\
leasehold queues
leasehold queues pause mail --until 2h --reason "the mail server is down"
leasehold queues limit reports --running 10
leasehold queues set reports --aging 10m"""


@click.group(cls=Listing, example=_EXAMPLE)
@with_session
def queues(session: Session) -> None:
    """Count the live jobs of each queue, or pause, resume, drain and limit one.

    Ready jobs can start now, blocked ones wait for their throttle, scheduled ones for their time;
    failed ones wait for their next try; parked ones wait for a worker that knows their kind.
    """
    with session.client() as client:
        found = _find(client)
    _print(session, found)


@queues.command("pause", example="leasehold queues pause mail --until 2h")
@NAME
@UNTIL
@REASON
@BY
@with_session
def pause(
    session: Session, *, name: str, until: datetime | float | None, reason: str, by: str | None
) -> None:
    """Let no worker start a job of it until then.

    Running jobs go on, and enqueueing does. May shorten a pause, too.
    """
    with session.client() as client:
        client.queues.pause(name, until=until, reason=reason, by=by)
    answer(session, f"{name} is paused {describe_pause(until)}", queue=name, is_changed=True)


@queues.command("resume", example="leasehold queues resume mail")
@NAME
@with_session
def resume(session: Session, *, name: str) -> None:
    """End a pause."""
    with session.client() as client:
        is_changed = client.queues.resume(name)
    text = f"{name} is resumed" if is_changed else f"{name} was not paused"
    answer(session, text, queue=name, is_changed=is_changed)


@queues.command("drain", example="leasehold queues drain mail --timeout 5m")
@NAME
@click.option(
    "--timeout",
    type=read_duration,
    metavar="TIME",
    default="5m",
    show_default=True,
    help="Longest wait.",
)
@REASON
@BY
@with_session
def drain(session: Session, *, name: str, timeout: float, reason: str, by: str | None) -> None:
    """Pause it, and wait until none of its jobs runs.

    It stays paused until it is resumed. Exit code 1 says that some still run after the timeout.
    """
    from leasehold.model.wording import count

    with session.client() as client:
        running = client.queues.drain(name, timeout=timeout, reason=reason, by=by)
    still = f"and {count(running, 'job')} of it still run" if running else "and none of it runs"
    answer(session, f"{name} is paused until it is resumed, {still}", queue=name, running=running)
    if running:
        click.get_current_context().exit(EXIT_REFUSED)


@queues.command("limit", example="leasehold queues limit reports --running 10")
@NAME
@click.option(
    "--running",
    type=click.IntRange(min=0),
    metavar="N",
    required=True,
    help="At once, in all workers.",
)
@BY
@with_session
def limit(session: Session, *, name: str, running: int, by: str | None) -> None:
    """Let at most so many of its jobs run at once, in all workers.

    Running jobs go on, and count.
    """
    with session.client() as client:
        client.queues.limit(name, running=running, by=by)
    answer(session, f"{name} may run {running:,} at once", queue=name, running_limit=running)


@queues.command("unlimit", example="leasehold queues unlimit reports")
@NAME
@with_session
def unlimit(session: Session, *, name: str) -> None:
    """Take its limit away."""
    with session.client() as client:
        is_changed = client.queues.unlimit(name)
    text = f"{name} has no limit any more" if is_changed else f"{name} had no limit"
    answer(session, text, queue=name, is_changed=is_changed)


@queues.command("set", example="leasehold queues set reports --aging 10m")
@NAME
@click.option(
    "--aging",
    type=read_duration_or_off,
    metavar="TIME|off",
    required=True,
    help="A job gains a point of priority each time it has waited so long.",
)
@with_session
def set_queue(session: Session, *, name: str, aging: float | None) -> None:
    """Let jobs that wait long overtake those of a higher priority."""
    with session.client() as client:
        client.queues.set(name, aging=aging)
    answer(session, f"{name}: aging {_aging(aging)}", queue=name, aging_seconds=aging)


def _find(client: Client) -> list[dict[str, Any]]:
    """Put together what is counted and what people have said, by queue."""
    from msgspec.structs import asdict

    said = {each.name: asdict(each) for each in client.queues.list()}
    counts = {each.queue: asdict(each) for each in client.counts()}
    return [
        {
            "queue": name,
            **{column: counts.get(name, {}).get(column, 0) for column in _COUNTS},
            **{column: said.get(name, {}).get(column) for column in _SAID},
        }
        for name in sorted(said | counts)
    ]


def _print(session: Session, found: list[dict[str, Any]]) -> None:
    from leasehold.cli.output import cell, make_table, print_json, print_rows

    if session.is_json:
        print_json({"queues": found})
        return
    table = make_table("queue", *_COUNTS, "limit", "aging", "")
    for each in found:
        numbers = [cell(f"{each[column]:,}") for column in _COUNTS]
        table.add_row(
            cell(each["queue"]),
            *numbers,
            cell("" if each["running_limit"] is None else f"{each['running_limit']:,}"),
            cell("" if each["aging_seconds"] is None else _aging(each["aging_seconds"])),
            cell(pause_cell(each["paused_until"], each["pause_reason"], each["paused_by"])),
        )
    print_rows(table, empty="No live jobs.", rows=found)


def _aging(seconds: float | None) -> str:
    from leasehold.model.wording import span

    return "off" if seconds is None else span(seconds)


@click.command(cls=Command, example="leasehold workers --json")
@with_session
def workers(session: Session) -> None:
    """List the workers that have shown themselves."""
    from leasehold.cli.output import cell, make_table, plain, print_json, print_rows
    from leasehold.model.wording import since

    with session.client() as client:
        found = client.workers()
    if session.is_json:
        print_json({"workers": [{**plain(each), "id": str(each.id)} for each in found]})
        return
    now = datetime.now(UTC)
    table = make_table(
        "worker", "queues", "kinds", "running", "slots", "version", "started", "seen"
    )
    for each in found:
        table.add_row(
            cell(each.name),
            cell(", ".join(each.queues)),
            cell(len(each.kinds)),
            cell(each.running),
            cell(each.slots),
            cell(each.version),
            cell(since(each.started_at, now)),
            cell(since(each.seen_at, now)),
        )
    print_rows(table, empty="No workers.", rows=found)
