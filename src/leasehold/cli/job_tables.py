"""Jobs as people read them."""

from __future__ import annotations

from datetime import UTC, datetime
from typing import TYPE_CHECKING, Any

import click

from leasehold.cli.output import (
    cell,
    first_line,
    make_list,
    make_table,
    print_rows,
    printable,
    show,
    state_cell,
)
from leasehold.model.envelopes import key_in
from leasehold.model.states import State
from leasehold.model.wording import since, span

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from leasehold.model.needs import Needs
    from leasehold.model.saving import Checkpoint, Step
    from leasehold.model.values import Attempt, Job

_SHOWN = 3


def print_jobs(jobs: Sequence[Job], following: str | None) -> None:
    """Print a page, and how to see the next one."""
    now = datetime.now(UTC)
    table = make_table("id", "state", "kind", "queue", "age", "")
    for job in jobs:
        table.add_row(
            cell(job.id),
            state_cell(job.state),
            cell(job.kind),
            cell(job.queue),
            cell(span((now - job.created_at).total_seconds())),
            cell(remark(job, now)),
        )
    print_rows(table, empty="No jobs.", rows=jobs)
    if following is not None:
        click.echo(f"More: --before {following}")


def remark(job: Job, now: datetime) -> str:
    """Say what is most telling of a job in its state."""
    match job.state:
        case State.RUNNING:
            asked = ", asked to stop" if job.cancel_requested else ""
            return f"by {job.worker_name or job.worker}, {since(job.claimed_at, now)}{asked}"
        case State.QUEUED | State.BLOCKED:
            return _wait(job, now)
        case State.FAILED:
            is_due = job.run_at is None or job.run_at <= now
            again = "now" if is_due else since(job.run_at, now)
            return f"{job.failures}/{job.max_attempts}, again {again}: {first_line(job.error)}"
        case State.DEAD | State.CANCELLED:
            return first_line(job.error)
        case State.SUCCEEDED if job.started_at is not None and job.finished_at is not None:
            return f"took {span((job.finished_at - job.started_at).total_seconds())}"
        case _:
            return ""


def _wait(job: Job, now: datetime) -> str:
    if job.state is State.BLOCKED:
        return f"waits for {job.lane or 'other jobs'}"
    is_later = job.run_at is not None and job.run_at > now
    return f"due {since(job.run_at, now)}" if is_later else ""


def print_job(
    job: Job,
    history: Sequence[Attempt],
    checkpoint: Checkpoint | None = None,
    steps: Sequence[Step] = (),
) -> None:
    """Print all there is to know of one job."""
    table = make_list(2)
    for name, value in (*_facts(job), *_saved(checkpoint)):
        table.add_row(
            cell(name, "bold"), state_cell(value) if name == "state" else cell(value, wraps=True)
        )
    show(table)
    if steps:
        show(cell(""), _steps(steps))
    if history:
        show(cell(""), _attempts(history))
        if history[-1].traceback:
            show(cell(""), cell(history[-1].traceback.rstrip(), "dim", wraps=True))


def _facts(job: Job) -> Iterator[tuple[str, str]]:
    now = datetime.now(UTC)
    yield "id", str(job.id)
    yield "kind", job.kind
    yield "state", job.state
    yield from ((name, str(value)) for name, value in _optional(job) if value)
    yield "queue", job.queue
    yield "priority", str(job.priority)
    yield "failures", f"{job.failures} of {job.max_attempts}"
    yield "created", f"{_moment(job.created_at)} ({since(job.created_at, now)})"
    yield "args", _json(job.args)
    if job.result is not None:
        yield "result", _json(job.result)


def _saved(checkpoint: Checkpoint | None) -> Iterator[tuple[str, str]]:
    """Say how far a job is, in its own units, and where it would go on."""
    if checkpoint is None:
        return
    when = since(checkpoint.saved_at, datetime.now(UTC))
    units = _units(checkpoint)
    yield "saved", f"{units}, {when}" if units else when
    if checkpoint.note:
        yield "note", printable(checkpoint.note)
    if checkpoint.cursor is not None:
        yield "cursor", _json(checkpoint.cursor)


def _units(checkpoint: Checkpoint) -> str:
    done, total = checkpoint.done, checkpoint.total
    if done is None:
        return "" if total is None else f"of {total:g}"
    if not total:
        return f"{done:,g} done"
    return f"{done:,g} of {total:,g} ({done / total:.0%})"


def _steps(steps: Sequence[Step]) -> Any:
    table = make_table("step", "done", "result")
    for step in steps:
        table.add_row(
            cell(step.name), cell(_moment(step.done_at)), cell(first_line(_compact(step.result)))
        )
    return table


def _optional(job: Job) -> Iterator[tuple[str, Any]]:
    now = datetime.now(UTC)
    yield "", remark(job, now)
    yield "tenant", job.tenant
    yield "batch", job.batch
    yield "after", "" if job.needs is None else _after(job.needs)
    yield "throttle", job.lane
    yield "share", job.share
    yield "cost", job.cost
    yield "created by", job.created_by
    yield "due", _moment(job.run_at)
    yield "lapses", job.lapses
    yield "lease until", _moment(job.lease_until)
    yield "error", printable(job.error or "")


def _after(needs: Needs) -> str:
    words = [*(["any of"] if needs.any else []), *map(str, needs.jobs[:_SHOWN])]
    words += [f"and {len(needs.jobs) - _SHOWN:,} more"] if len(needs.jobs) > _SHOWN else []
    return " ".join([*words, *(["even if failed"] if needs.even_if_failed else [])])


def _attempts(history: Sequence[Attempt]) -> Any:
    table = make_table("attempt", "outcome", "ended", "took", "worker", "error")
    for each in history:
        took = "" if each.started_at is None else span_between(each.started_at, each.finished_at)
        table.add_row(
            cell(each.attempt),
            state_cell(each.outcome),
            cell(_moment(each.finished_at)),
            cell(took),
            cell(each.worker_name or each.worker),
            cell(first_line(each.error)),
        )
    return table


def span_between(start: datetime, end: datetime) -> str:
    return span((end - start).total_seconds())


def _moment(moment: datetime | None) -> str:
    return "" if moment is None else moment.astimezone().isoformat(sep=" ", timespec="seconds")


def _compact(value: Any) -> str:
    import msgspec

    if isinstance(value, dict) and (key := key_in(value)) is not None:
        return f"encrypted, key {key}"
    return msgspec.json.encode(value).decode()


def _json(value: Any) -> str:
    import msgspec

    if isinstance(value, dict) and (key := key_in(value)) is not None:
        return f"encrypted, key {key}"
    return msgspec.json.format(msgspec.json.encode(value), indent=2).decode()
