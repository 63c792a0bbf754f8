"""Statistics as people read them."""

from __future__ import annotations

from typing import TYPE_CHECKING

from leasehold.cli.output import cell, make_list, make_table
from leasehold.model.statistics import UNHAPPY, Fact
from leasehold.model.wording import count, span

if TYPE_CHECKING:
    from rich.table import Table
    from rich.text import Text

    from leasehold.model.statistics import Activity, Overview

_SHOWN_KINDS = 20
_ALARMING = 0.05
_PLACES = ("ready", "blocked", "scheduled", "failed", "running", "parked")


def summary(found: Overview) -> Table:
    """Say how it stands and what happened, in a few lines."""
    table = make_list(2)
    oldest = (
        "none ready" if found.oldest_seconds is None else f"oldest {span(found.oldest_seconds)}"
    )
    running = f"{found.running:,} running on {count(found.slots, 'slot')}"
    waiting = f"{found.in_queue:,} in queue ({oldest}), {found.depth.failed:,} to be retried"
    workers = cell(count(found.workers, "worker"), "" if found.workers else "bold red")
    table.add_row(cell("now", "bold"), cell(f"{waiting}, {running}"))
    table.add_row(cell("", "bold"), workers)
    table.add_row(cell(f"last {span(found.window_seconds)}", "bold"), cell(_outcomes(found)))
    table.add_row(cell(""), cell(_times(found.activity)))
    died = cell(f"{found.failed_24h:,}", "bold red" if found.failed_24h else "")
    table.add_row(cell("dead in 24 h", "bold"), died)
    return table


def _outcomes(found: Overview) -> str:
    counts = found.activity.counts
    parts = [f"{counts[Fact.SUCCEEDED.value]:,} succeeded ({rate(found.activity.per_second)})"]
    parts += [
        f"{amount:,} {fact}"
        for fact, amount in counts.items()
        if amount and fact != Fact.SUCCEEDED.value
    ]
    if found.activity.failure_rate:
        parts.append(f"{percent(found.activity.failure_rate)} did not end well")
    return ", ".join(parts)


def _times(activity: Activity) -> str:
    ran = activity.ran
    if ran.average_seconds is None:
        return "nothing ran"
    return (
        f"ran {span(ran.average_seconds)} on average, p50 {_time(ran.p50_seconds)}, "
        f"p95 {_time(ran.p95_seconds)}, p99 {_time(ran.p99_seconds)}"
    )


def queues_table(found: Overview) -> Table:
    """List the queues: what stands in them, and what came of them."""
    table = make_table("queue", *_PLACES, "oldest", "done", "failures", "average")
    depths = {each.queue: each for each in found.queues if each.queue}
    done = {each.queue: each for each in found.by_queue}
    for queue in sorted(depths.keys() | done.keys()):
        depth, activity = depths.get(queue), done.get(queue)
        numbers = [0 if depth is None else getattr(depth, place) for place in _PLACES]
        age = None if depth is None else depth.oldest_seconds
        table.add_row(
            cell(queue),
            *(cell(f"{number:,}", "" if number else "dim") for number in numbers),
            cell(_time(age)),
            *_activity_cells(activity),
        )
    return table


def kinds_table(found: Overview, most: int = _SHOWN_KINDS) -> Table:
    """List the busiest kinds."""
    table = make_table("kind", "queue", "done", "failures", "average", "p95")
    for each in found.by_kind[:most]:
        table.add_row(
            cell(each.kind),
            cell(each.queue),
            *_activity_cells(each),
            cell(_time(each.ran.p95_seconds)),
        )
    return table


def _activity_cells(activity: Activity | None) -> list[Text]:
    if activity is None:
        return [cell("0", "dim"), cell(""), cell("")]
    unhappy = sum(activity.counts[fact] for fact in UNHAPPY)
    share = activity.failure_rate or 0.0
    told = f"{unhappy:,} ({percent(share)})" if unhappy else ""
    return [
        cell(f"{activity.counts[Fact.SUCCEEDED.value]:,}"),
        cell(told, "bold red" if share >= _ALARMING else ""),
        cell(_time(activity.ran.average_seconds)),
    ]


def rate(per_second: float) -> str:
    """Write a rate so that it has a digit to show."""
    for unit, size in (("s", 1.0), ("min", 60.0)):
        if per_second * size >= 1:
            return f"{per_second * size:,.1f}/{unit}"
    return f"{per_second * 3600:,.1f}/h"


def percent(share: float) -> str:
    return f"{share:.1%}".replace("%", " %")


def _time(seconds: float | None) -> str:
    return "" if seconds is None else span(seconds)
