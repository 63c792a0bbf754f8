"""The store's operations on batches, and what follows from ends."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import msgspec
from psycopg import errors
from psycopg.pq import TransactionStatus

from leasehold.errors import BatchBusy
from leasehold.model.batches import BatchCounts, BatchInfo, BatchStatus
from leasehold.store.postgres.following import Following
from leasehold.store.postgres.rows import GREATEST_ID
from leasehold.store.sealing import Sealing
from leasehold.store.sql import load

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence
    from contextlib import AbstractContextManager
    from datetime import timedelta

    from leasehold.model.batches import BatchFilter, Followed, NewBatch
    from leasehold.model.ids import JobId
    from leasehold.model.values import NewJob
    from leasehold.store.base import Answers
    from leasehold.store.postgres.connection import Connection

PACKAGE = "leasehold.store.postgres"

_encode = msgspec.json.Encoder().encode
_COUNTS = BatchCounts.__struct_fields__
_COLUMNS = (
    *("id", "tenant", "name", "parent", "meta", "status", "round"),
    *_COUNTS,
    *("processed", "total_units", "created_by", "created_at", "sealed_at", "failed_at"),
    *("cancelled_at", "cancelled_by", "ended_at"),
)


class Batches(Sealing):
    """The part of the store for jobs that belong together."""

    skew_seconds: float

    @property
    def _skew(self) -> timedelta:
        raise NotImplementedError

    def _lend(self) -> AbstractContextManager[Connection]:
        raise NotImplementedError

    def _run(self, sql: str, **parameters: Any) -> list[Any]:
        raise NotImplementedError

    def _after_enqueue(self, jobs: Sequence[NewJob], answers: Answers) -> None:
        raise NotImplementedError

    def notify(self, arrivals: Mapping[str, int]) -> None:
        raise NotImplementedError

    def create_batch(self, batch: NewBatch) -> None:
        document = _encode(batch).decode()
        self._run(load(PACKAGE, "create_batch"), document=document, skew_seconds=self.skew_seconds)

    def start_batch(self, batch: NewBatch, jobs: Sequence[NewJob]) -> None:
        jobs = self._sealed(jobs)
        self._run(
            load(PACKAGE, "start_batch"),
            document=_encode(batch).decode(),
            jobs=_encode(jobs).decode(),
            skew_seconds=self.skew_seconds,
        )
        self._after_enqueue(jobs, {})

    def get_batch(self, batch_id: JobId) -> BatchInfo | None:
        found = self._run(load(PACKAGE, "get_batch"), batch=batch_id)
        return _info(found[0]) if found else None

    def find_batches(
        self, where: BatchFilter, *, before: JobId | None, limit: int
    ) -> list[BatchInfo]:
        wanted = msgspec.structs.asdict(where)
        wanted["status"] = None if where.status is None else where.status.value
        found = self._run(
            load(PACKAGE, "find_batches"), before=before or GREATEST_ID, limit=limit, **wanted
        )
        return [_info(row) for row in found]

    def seal_batch(self, batch_id: JobId) -> BatchStatus | None:
        found = self._change_batch("seal_batch", batch_id, skew_seconds=self.skew_seconds)
        return _status(found)

    def cancel_batch(self, batch_id: JobId, *, by: str | None) -> list[JobId] | None:
        found = self._change_batch("cancel_batch", batch_id, by=by, skew_seconds=self.skew_seconds)
        return [row[0] for row in found] or None

    def reopen_batch(self, batch_id: JobId) -> BatchStatus | None:
        return _status(self._change_batch("reopen_batch", batch_id))

    def live_members(self, batches: Sequence[JobId], *, limit: int) -> list[JobId]:
        found = self._run(load(PACKAGE, "live_members"), batches=list(batches), limit=limit)
        return [row[0] for row in found]

    def follow_up(self, ended: Sequence[JobId]) -> Followed:
        return self._tell(Following(self._run, self._skew).follow(ended))

    def follow_batches(self, batches: Sequence[JobId]) -> Followed:
        return self._tell(Following(self._run, self._skew).look_at(batches))

    def sweep(self, *, after: JobId | None, limit: int, is_thorough: bool) -> Followed:
        following = Following(self._run, self._skew)
        return self._tell(following.sweep(after, limit, is_thorough=is_thorough))

    def _tell(self, followed: Followed) -> Followed:
        if followed.arrivals:
            self.notify(followed.arrivals)
        return followed

    def _change_batch(self, operation: str, batch_id: JobId, **given: Any) -> list[tuple[Any, ...]]:
        """Change a batch under its lock, or say who is in the way."""
        with self._lend() as connection:
            sql = load(PACKAGE, operation).encode()
            try:
                return connection.execute(sql, {"batch": batch_id, **given}).fetchall()
            except errors.LockNotAvailable as error:
                if connection.info.transaction_status is TransactionStatus.INERROR:  # a tenant's
                    raise BatchBusy(batch_id) from error
                holders = connection.execute(load(PACKAGE, "batch_holders").encode()).fetchall()
                raise BatchBusy(batch_id, [row[0] for row in holders]) from error


def _status(found: Sequence[tuple[Any, ...]]) -> BatchStatus | None:
    status = found[0][0]
    return None if status is None else BatchStatus(status)


def _info(row: Sequence[Any]) -> BatchInfo:
    values = dict(zip(_COLUMNS, row, strict=True))
    counts = BatchCounts(**{name: values.pop(name) for name in _COUNTS})
    values["status"] = BatchStatus(values["status"])
    return BatchInfo(counts=counts, **values)
