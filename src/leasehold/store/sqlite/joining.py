"""Lets jobs into their batches, under the write lock, so that none is added after a seal."""

from __future__ import annotations

from collections.abc import Collection, Generator, Sequence
from typing import Any, NamedTuple

from leasehold.errors import BatchNotFound, BatchSealed
from leasehold.model.batches import Adder, BatchStatus, NewBatch, status_of
from leasehold.model.ids import JobId
from leasehold.model.values import NewJob
from leasehold.store.base import Rows, Statement
from leasehold.store.sqlite.statements import as_json, text


class _Asked(NamedTuple):
    """Who wants to add to which batch."""

    batch: JobId
    tenant: str
    adder: Adder | None

    def row(self) -> tuple[Any, ...]:
        adder = self.adder
        return (self.batch, *((None, None) if adder is None else (adder.job_id, adder.fence)))


def has_batches(jobs: Collection[NewJob]) -> bool:
    return any(job.batch is not None for job in jobs)


def join_batches(jobs: Sequence[NewJob]) -> Generator[Statement, Rows, None]:
    """Refuse jobs whose batch takes no more. One that stands there already may come again."""
    yield Statement(text("batch_lock"), {})
    known: Rows = yield Statement(
        text("enqueue_existing"), {"ids": as_json([job.id for job in jobs])}
    )
    standing = {row[0] for row in known}
    asked = {
        _Asked(job.batch, job.tenant, job.adder)
        for job in jobs
        if job.batch is not None and str(job.id) not in standing
    }
    yield from _check(asked)


def join_parent(batch: NewBatch) -> Generator[Statement, Rows, None]:
    """Refuse a batch whose parent takes no more: it counts as a member does."""
    if batch.parent is not None:
        yield from _check({_Asked(batch.parent, batch.tenant, batch.adder)})


def _check(asked: Collection[_Asked]) -> Generator[Statement, Rows, None]:
    for each in asked:
        found = yield Statement(text("batch_join"), {"asked": as_json([each.row()])})
        status = next((_status(row) for row in found if row[1] == each.tenant), None)
        if status is None:
            raise BatchNotFound(each.batch)
        is_running = bool(found[0][5])
        if status is not BatchStatus.OPEN and not (status is BatchStatus.SEALED and is_running):
            raise BatchSealed(each.batch, status)


def _status(row: Sequence[Any]) -> BatchStatus:
    _, _, sealed_at, cancelled_at, ended_at, _ = row
    return status_of(
        is_sealed=sealed_at is not None,
        is_cancelled=cancelled_at is not None,
        is_ended=ended_at is not None,
    )
