"""`leasehold bench`: measure what the queue does on a database."""

from __future__ import annotations

from typing import TYPE_CHECKING

import click

from leasehold.cli.commands import Command, with_session

if TYPE_CHECKING:
    from leasehold.cli.bench_measures import Figures
    from leasehold.cli.session import Session

_EXAMPLE = """\
leasehold bench
leasehold bench --jobs 100000 --processes 4
leasehold bench --url postgresql:///empty --scratch --json"""

_ROWS = (
    ("one durable commit", "commit_ms", "ms"),
    ("single enqueue", "single_enqueue_per_second", "jobs/s"),
    ("bulk enqueue", "bulk_enqueue_per_second", "jobs/s"),
    ("drain, async handlers", "drain_async_per_second", "jobs/s"),
    ("drain, blocking handlers", "drain_blocking_per_second", "jobs/s"),
    ("pick-up, median", "pick_up_p50_ms", "ms"),
    ("pick-up, 99 of 100", "pick_up_p99_ms", "ms"),
)


@click.command(cls=Command, example=_EXAMPLE)
@click.option(
    "--jobs",
    type=click.IntRange(min=1),
    default=10_000,
    show_default=True,
    help="How many to enqueue and drain.",
)
@click.option(
    "--processes",
    type=click.IntRange(min=1),
    default=1,
    show_default=True,
    help="How many workers drain the queue.",
)
@click.option(
    "--scratch",
    is_flag=True,
    help="Use this database itself, if it has no jobs; what is written stays.",
)
@with_session
def bench(session: Session, *, jobs: int, processes: int, scratch: bool) -> None:
    """Measure how fast this database can be a queue.

    Works in a scratch database on the same server, for which the role needs CREATEDB, or in a
    scratch file in the same folder. It is removed at the end, and nothing of yours is touched; but
    the load is real.
    """
    from leasehold.cli.bench_measures import measure
    from leasehold.cli.bench_scratch import check_given, make_scratch

    if scratch:
        check_given(session.url)
        figures = measure(session.url, jobs=jobs, processes=processes, tell=_tell)
    else:
        with make_scratch(session.url) as place:
            _tell(f"working in {place.title}, which is removed at the end")
            figures = measure(place.url, jobs=jobs, processes=processes, tell=_tell)
    if session.is_json:
        _print_json(session, figures, jobs, processes)
    else:
        _print(session, figures, jobs, processes)


def interpret(figures: Figures, processes: int) -> list[str]:
    """Say what the figures mean for somebody who has to choose."""
    most = 1000 / figures.commit_ms
    microseconds = 1e6 / figures.drain_async_per_second
    workers = "one worker process" if processes == 1 else f"{processes} worker processes"
    enqueuing = (
        f"A commit takes {figures.commit_ms:.2f} ms here: one caller's single enqueues can't be "
        f"faster than {most:,.0f}/s; use enqueue_many or your own transaction for more."
    )
    working = (
        f"With {workers} the queue itself costs {microseconds:,.0f} µs a job: handlers that take "
        "much longer than that are your limit, not the queue."
    )
    return [enqueuing, working]


def _tell(what: str) -> None:
    click.echo(what, err=True)


def _print_json(session: Session, figures: Figures, jobs: int, processes: int) -> None:
    from dataclasses import asdict

    from leasehold._version import __version__
    from leasehold.cli.output import print_json

    print_json(
        {
            "url": session.shown_url,
            "leasehold": __version__,
            "jobs": jobs,
            "processes": processes,
            "figures": {name: round(value, 3) for name, value in asdict(figures).items()},
            "notes": interpret(figures, processes),
        }
    )


def _print(session: Session, figures: Figures, jobs: int, processes: int) -> None:
    from leasehold.cli.output import cell, make_list, show
    from leasehold.model.wording import count

    table = make_list(3)
    table.columns[1].justify = "right"
    for label, name, unit in _ROWS:
        value: float = getattr(figures, name)
        table.add_row(cell(label), cell(_number(value, unit)), cell(unit))
    size = f"{count(jobs, 'job')}, {count(processes, 'worker process', 'worker processes')}"
    notes = [cell(note, wraps=True) for note in interpret(figures, processes)]
    show(cell(f"{session.shown_url}: {size}", "bold"), table, *notes)


def _number(value: float, unit: str) -> str:
    return f"{value:,.2f}" if unit == "ms" else f"{value:,.0f}"
