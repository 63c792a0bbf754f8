"""The store's operations on batches, and what follows from ends: each is one transaction."""

from __future__ import annotations

import sqlite3
from collections.abc import Callable, Mapping, Sequence
from typing import Any

import msgspec

from leasehold.model.batches import (
    BatchCounts,
    BatchFilter,
    BatchInfo,
    BatchStatus,
    Followed,
    NewBatch,
)
from leasehold.model.ids import JobId
from leasehold.model.values import NewJob
from leasehold.store.base import Answers, EnqueueScript
from leasehold.store.sealing import Sealing
from leasehold.store.sqlite import following
from leasehold.store.sqlite.database import Database
from leasehold.store.sqlite.enqueue import run_script
from leasehold.store.sqlite.joining import join_parent
from leasehold.store.sqlite.records import ABOVE_ALL_IDS, to_job_id
from leasehold.store.sqlite.statements import as_json, count, refuse_nul, rows
from leasehold.store.sqlite.times import Clock, to_datetime_or_none

_COUNTS = BatchCounts.__struct_fields__
_COLUMNS = (
    *("id", "tenant", "name", "parent", "meta", "status", "round"),
    *_COUNTS,
    *("processed", "total_units", "created_by", "created_at", "sealed_at", "failed_at"),
    *("cancelled_at", "cancelled_by", "ended_at"),
)
_MOMENTS = ("created_at", "sealed_at", "failed_at", "cancelled_at", "ended_at")


class Batches(Sealing):
    """The part of the store for jobs that belong together."""

    _database: Database
    _clock: Clock

    def _script(self, jobs: Sequence[NewJob]) -> EnqueueScript:
        raise NotImplementedError

    def _after_enqueue(self, jobs: Sequence[NewJob], answers: Answers) -> None:
        raise NotImplementedError

    def notify(self, arrivals: Mapping[str, int]) -> None:
        raise NotImplementedError

    def create_batch(self, batch: NewBatch) -> None:
        row = _row(batch)
        with self._database.write() as connection:
            self._create(connection, batch, row)

    def start_batch(self, batch: NewBatch, jobs: Sequence[NewJob]) -> None:
        jobs = self._sealed(jobs)
        row = _row(batch)
        with self._database.write() as connection:
            self._create(connection, batch, row)
            run_script(connection, self._script(jobs))
            rows(connection, "seal_batch", id=row["id"], now=self._clock.now())
        self._after_enqueue(jobs, {})

    def _create(
        self, connection: sqlite3.Connection, batch: NewBatch, row: Mapping[str, Any]
    ) -> None:
        if not rows(connection, "batch_row", id=row["id"]):
            run_script(connection, join_parent(batch))
            rows(connection, "create_batch", **row, now=self._clock.now())

    def get_batch(self, batch_id: JobId) -> BatchInfo | None:
        with self._database.read() as connection:
            found = _read(connection, [str(batch_id)])
        return found[0] if found else None

    def find_batches(
        self, where: BatchFilter, *, before: JobId | None, limit: int
    ) -> list[BatchInfo]:
        wanted = {
            "before": ABOVE_ALL_IDS if before is None else str(before),
            "limit": limit,
            "tenant": where.tenant,
            "name": where.name,
            "parent": None if where.parent is None else str(where.parent),
            "status": where.status,
        }
        with self._database.read() as connection:
            found = [row[0] for row in rows(connection, "find_batches", **wanted)]
            return _read(connection, found)

    def seal_batch(self, batch_id: JobId) -> BatchStatus | None:
        with self._database.write() as connection:
            rows(connection, "seal_batch", id=str(batch_id), now=self._clock.now())
            return _status(connection, batch_id)

    def cancel_batch(self, batch_id: JobId, *, by: str | None) -> list[JobId] | None:
        with self._database.write() as connection:
            if not rows(connection, "batch_row", id=str(batch_id)):
                return None
            named = [str(batch_id)]
            for each in named:  # it grows while we go
                rows(connection, "cancel_batch", id=each, by=by, now=self._clock.now())
                named += [row[0] for row in rows(connection, "batch_nested", id=each)]
        return [to_job_id(each) for each in named]

    def reopen_batch(self, batch_id: JobId) -> BatchStatus | None:
        with self._database.write() as connection:
            count(connection, "reopen_batch", id=str(batch_id))
            return _status(connection, batch_id)

    def live_members(self, batches: Sequence[JobId], *, limit: int) -> list[JobId]:
        with self._database.read() as connection:
            found = rows(connection, "live_members", batches=as_json(list(batches)), limit=limit)
        return [to_job_id(row[0]) for row in found]

    def follow_up(self, ended: Sequence[JobId]) -> Followed:
        return self._follow(lambda connection: following.batches_of(connection, ended))

    def follow_batches(self, batches: Sequence[JobId]) -> Followed:
        return self._follow(lambda _: dict.fromkeys(batches, False))

    def sweep(self, *, after: JobId | None, limit: int, is_thorough: bool) -> Followed:
        dead = None if is_thorough else False
        with self._database.read() as connection:
            batches, cancelled = following.unended(connection, after, limit)
        followed = self._follow(lambda _: dict.fromkeys(batches, dead))
        return msgspec.structs.replace(
            followed,
            swept_to=batches[-1] if len(batches) == limit else None,
            cancelled={
                batch: by for batch, by in cancelled.items() if batch not in followed.batches
            },
        )

    def _follow(
        self, choose: Callable[[sqlite3.Connection], Mapping[JobId, bool | None]]
    ) -> Followed:
        """Look without the write lock first: nearly always there is nothing to do yet."""
        with self._database.read() as connection:
            asked = choose(connection)
            if not following.has_work(connection, asked):
                return Followed()
        with self._database.write() as connection:
            followed = following.follow(connection, asked, self._clock.now())
        if followed.arrivals:
            self.notify(followed.arrivals)
        return followed


def _row(batch: NewBatch) -> dict[str, Any]:
    documents = {"meta": batch.meta, "on_end": batch.on_end, "on_failure": batch.on_failure}
    named = as_json(batch)
    refuse_nul(named, lambda: (batch.name, batch.tenant, batch.created_by))
    row: dict[str, Any] = {
        "id": str(batch.id),
        "tenant": batch.tenant,
        "name": batch.name,
        "parent": None if batch.parent is None else str(batch.parent),
        "created_by": batch.created_by,
    }
    for name, document in documents.items():
        row[name] = None if document is None else bytes(document).decode()
    return row | {"meta": row["meta"] or "{}"}


def _status(connection: sqlite3.Connection, batch_id: JobId) -> BatchStatus | None:
    found = _read(connection, [str(batch_id)])
    return found[0].status if found else None


def _read(connection: sqlite3.Connection, batch_ids: Sequence[str]) -> list[BatchInfo]:
    """Read batches, newest first."""
    return [_info(row) for row in rows(connection, "get_batch", ids=as_json(list(batch_ids)))]


def _info(row: Sequence[Any]) -> BatchInfo:
    values = dict(zip(_COLUMNS, row, strict=True))
    counts = BatchCounts(**{name: values.pop(name) for name in _COUNTS})
    values |= {name: to_datetime_or_none(values[name]) for name in _MOMENTS}
    values["id"] = to_job_id(values["id"])
    values["parent"] = None if values["parent"] is None else to_job_id(values["parent"])
    values["meta"] = msgspec.json.decode(values["meta"])
    values["status"] = BatchStatus(values["status"])
    return BatchInfo(counts=counts, **values)
