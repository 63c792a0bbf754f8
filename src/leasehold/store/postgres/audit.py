"""The audit record, and people's operations that are one transaction with their row in it."""

from __future__ import annotations

import threading
from collections import Counter
from contextlib import contextmanager
from datetime import UTC, timedelta
from typing import TYPE_CHECKING, Any

import msgspec

from leasehold.model.audit import AuditFilter, AuditRecord, Entry
from leasehold.store.sql import load

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence
    from contextlib import AbstractContextManager

    from leasehold.store.postgres.connection import Connection, Source
    from leasehold.store.postgres.statements import Statements

PACKAGE = "leasehold.store.postgres"
_LAST = 2**63 - 1


class HeldConnection(threading.local):
    """The connection whose transaction this thread is in, and whom it wakes afterwards."""

    source: Source | None = None
    arrivals: Counter[str] | None = None


class _Kept:
    """Lends one connection again and again, to who is in its transaction."""

    def __init__(self, connection: Connection) -> None:
        self._connection = connection

    def take(self) -> Connection:
        return self._connection

    def give_back(self, connection: Connection) -> None:
        """Nothing to do: it is held."""

    def close(self) -> None:
        """Nothing to do: it is somebody else's."""


class Audit:
    """The part of the store that remembers what people did."""

    _held: HeldConnection
    _statements: Statements

    @property
    def _skew(self) -> timedelta:
        raise NotImplementedError

    def _lend(self) -> AbstractContextManager[Connection]:
        raise NotImplementedError

    def _run(self, sql: str, **parameters: Any) -> list[Any]:
        raise NotImplementedError

    def notify(self, arrivals: Mapping[str, int]) -> None:
        raise NotImplementedError

    @contextmanager
    def together(self) -> Iterator[None]:
        if self._held.source is not None:  # one inside another is the same
            yield
            return
        told: Counter[str] = Counter()
        with self._lend() as connection, connection.transaction():
            self._held.source, self._held.arrivals = _Kept(connection), told
            try:
                with self._statements.plainly(connection):
                    yield
            finally:
                self._held.source = self._held.arrivals = None
        if told:
            self.notify(told)

    def record(self, entry: Entry) -> None:
        self._write(entry, pruned_to=None)

    def _write(self, entry: Entry, *, pruned_to: int | None) -> None:
        given = msgspec.structs.asdict(entry)
        given["detail"] = msgspec.json.encode(entry.detail).decode()
        self._run(load(PACKAGE, "record_audit"), **given, skew=self._skew, pruned_to=pruned_to)

    def audit(self, where: AuditFilter, *, before: int | None, limit: int) -> Sequence[AuditRecord]:
        found = self._run(
            load(PACKAGE, "audit" if where.tenant is None else "audit_of_tenant"),
            before=_LAST if before is None else before,
            tenant=where.tenant,
            actor=where.actor,
            action=where.action,
            since=where.since,
            limit=limit,
        )
        return [_record(row) for row in found]

    def prune_audit(self, entry: Entry, *, older_seconds: float) -> int:
        with self.together():
            older = {"older_seconds": older_seconds, "skew": self._skew}
            ((amount, last),) = self._run(load(PACKAGE, "audit_to_prune"), **older)
            if not amount:
                return 0
            self._write(msgspec.structs.replace(entry, count=amount), pruned_to=last + 1)
            self._run(load(PACKAGE, "prune_audit"), pruned_to=last + 1)
            return int(amount)


def _record(row: Sequence[Any]) -> AuditRecord:
    number, at, actor, via, address, tenant, action, subject, amount, detail = row
    return AuditRecord(
        id=number,
        at=at.astimezone(UTC),
        actor=actor,
        via=via,
        address=address,
        tenant=tenant,
        action=action,
        subject=subject,
        count=amount,
        detail=detail,
    )
