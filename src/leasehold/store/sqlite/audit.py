"""The audit record, and people's operations that are one transaction with their row in it."""

from __future__ import annotations

import sqlite3
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from typing import Any

import msgspec

from leasehold.model.audit import AuditFilter, AuditRecord, Entry
from leasehold.store.sqlite.database import Database
from leasehold.store.sqlite.statements import as_json, count, rows
from leasehold.store.sqlite.times import SECOND, Clock, from_datetime, to_datetime
from leasehold.store.sqlite.waker import Wakers

_LAST = 2**63 - 1


class Audit:
    """The part of the store that remembers what people did."""

    _database: Database
    _clock: Clock
    _wakers: Wakers

    @contextmanager
    def together(self) -> Iterator[None]:
        with self._database.together():
            yield
        self._wakers.poke()  # who was woken inside saw nothing yet
        self._wakers.ring()

    def record(self, entry: Entry) -> None:
        with self._database.write() as connection:
            _write(connection, entry, self._clock.now(), pruned_to=None)

    def audit(self, where: AuditFilter, *, before: int | None, limit: int) -> Sequence[AuditRecord]:
        with self._database.read() as connection:
            found = rows(
                connection,
                "audit" if where.tenant is None else "audit_of_tenant",
                before=_LAST if before is None else before,
                tenant=where.tenant,
                actor=where.actor,
                action=where.action,
                since=None if where.since is None else from_datetime(where.since),
                limit=limit,
            )
        return [_record(row) for row in found]

    def prune_audit(self, entry: Entry, *, older_seconds: float) -> int:
        with self._database.write() as connection:
            now = self._clock.now()
            before = now - int(older_seconds * SECOND)
            ((amount, last),) = rows(connection, "audit_to_prune", before=before)
            if not amount:
                return 0
            gone = msgspec.structs.replace(entry, count=amount)
            _write(connection, gone, now, pruned_to=last + 1)
            return count(connection, "prune_audit", pruned_to=last + 1)


def _write(
    connection: sqlite3.Connection, entry: Entry, now: int, *, pruned_to: int | None
) -> None:
    given = msgspec.structs.asdict(entry) | {"detail": as_json(entry.detail)}
    rows(connection, "record_audit", **given, now=now, pruned_to=pruned_to)


def _record(row: Sequence[Any]) -> AuditRecord:
    number, at, actor, via, address, tenant, action, subject, amount, detail = row
    return AuditRecord(
        id=number,
        at=to_datetime(at),
        actor=actor,
        via=via,
        address=address,
        tenant=tenant,
        action=action,
        subject=subject,
        count=amount,
        detail=msgspec.json.decode(detail),
    )
