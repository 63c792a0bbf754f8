"""Running a script on a connection that is the caller's."""

from __future__ import annotations

import json
import re
from collections.abc import Awaitable, Callable, Sequence
from contextlib import contextmanager
from enum import Enum
from typing import TYPE_CHECKING, Any
from uuid import UUID

import msgspec

from leasehold.errors import (
    BatchNotFound,
    BatchSealed,
    IdConflict,
    KeyBusy,
    LeaseLost,
    QuotaBusy,
    QuotaExceeded,
    StoreBusy,
)

if TYPE_CHECKING:
    from collections.abc import Iterator
    from types import TracebackType

    from leasehold.errors import LeaseholdError
    from leasehold.model.ids import JobId
    from leasehold.store.base import Rows, Script, Statement, Told

ID_CONFLICT = "LH001"
LEASE_LOST = "LH002"
BATCH_REFUSES = "LH005"
QUOTA_EXCEEDED = "LH007"
QUOTA_BUSY = "LH008"
LOCK_TIMEOUT = "55P03"
_SQLITE_BUSY = 5
_IDS = re.compile(r"\[[^\]]*\]")
_OBJECT = re.compile(r"\{[^}]*\}")


def drive(script: Script[Told], execute: Callable[[Statement], Rows]) -> Told:
    """Run the script to its end."""
    try:
        statement = next(script)
        while True:
            statement = script.send(execute(statement))
    except StopIteration as end:
        told: Told = end.value
        return told


async def drive_async(
    script: Script[Told], execute: Callable[[Statement], Awaitable[Rows]]
) -> Told:
    """Do the same where each statement is awaited."""
    rows: Rows | None = None
    while True:
        try:
            statement = next(script) if rows is None else script.send(rows)
        except StopIteration as end:
            told: Told = end.value
            return told
        rows = await execute(statement)


class NamingKeys:
    """A block in which a lock that can't be had in time is that of one of these keys."""

    def __init__(self, keys: Sequence[str]) -> None:
        self._keys = keys

    def __enter__(self) -> None:
        """Nothing is to be done before."""

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        if error is None or not self._keys:
            return
        if any(_has_state(inner, LOCK_TIMEOUT) for inner in _layers(error)):
            raise KeyBusy(self._keys) from error


@contextmanager
def naming_lease(job_id: JobId) -> Iterator[None]:
    """Run a block in which PostgreSQL's word for a lost lease means this job's."""
    try:
        yield
    except Exception as error:
        if any(_has_state(inner, LEASE_LOST) for inner in _layers(error)):
            raise LeaseLost(job_id) from error
        raise


@contextmanager
def translating(kind: type[Exception]) -> Iterator[None]:
    """Give what we refuse and a busy SQLite their names; other errors stay the driver's own."""
    try:
        yield
    except kind as error:
        found = _translate(error)
        if found is None:
            raise
        raise found from error


def _translate(error: BaseException) -> LeaseholdError | None:
    for inner in _layers(error):
        if _has_state(inner, ID_CONFLICT):
            return IdConflict(read_ids(str(inner)))
        if _has_state(inner, BATCH_REFUSES):
            return read_refusal(str(inner))
        if _has_state(inner, QUOTA_EXCEEDED):
            return read_quota_exceeded(str(inner))
        if _has_state(inner, QUOTA_BUSY):
            return QuotaBusy(str(inner).strip().splitlines()[0])
        # The lowest byte is the error, the rest its flavour (517 is SQLITE_BUSY_SNAPSHOT).
        if getattr(inner, "sqlite_errorcode", 0) & 0xFF == _SQLITE_BUSY:
            return StoreBusy(
                "another connection writes to this SQLite file, or wrote since this transaction "
                "first read: begin it with BEGIN IMMEDIATE (Django: transaction_mode), try again"
            )
    return None


def _has_state(error: BaseException, state: str) -> bool:
    return state in (getattr(error, "sqlstate", None), getattr(error, "pgcode", None))


def _layers(error: BaseException) -> Iterator[BaseException]:
    """Name the error and the drivers' errors that frameworks wrapped (SQLAlchemy: orig)."""
    layer: BaseException | None = error
    while layer is not None:
        yield layer
        layer = getattr(layer, "orig", None) or layer.__cause__


def read_ids(message: str) -> list[UUID]:
    """Read the JSON array of ids in PostgreSQL's message."""
    listed = _IDS.search(message)
    return msgspec.json.decode(listed[0], type=list[UUID]) if listed else []


def read_refusal(message: str) -> BatchNotFound | BatchSealed:
    """Read the JSON object in PostgreSQL's message about a batch."""
    told = _OBJECT.search(message)
    said = msgspec.json.decode(told[0]) if told else {}
    batch_id, status = UUID(said["batch"]), said["status"]
    return BatchNotFound(batch_id) if status is None else BatchSealed(batch_id, status)


class Opening(Enum):
    """What a script does about the transaction on a caller's SQLite connection."""

    INSIDE = "one is open: join it"
    LEFT_OPEN = "none is open, and the caller commits: open one, which the driver would do too"
    OWN = "the connection commits each statement: wrap the script's into one"


def choose_opening(connection: Any) -> Opening:
    """Look at a sqlite3 connection, or at one that looks like it."""
    if connection.in_transaction:
        return Opening.INSIDE
    autocommit = getattr(connection, "autocommit", -1)  # Python 3.12; -1 is the older behaviour
    is_autocommit = connection.isolation_level is None if autocommit == -1 else autocommit
    return Opening.OWN if is_autocommit else Opening.LEFT_OPEN


# Takes the write lock first: a transaction that read before it wrote could not be saved.
BEGIN = "BEGIN IMMEDIATE"


@contextmanager
def sqlite_transaction(connection: Any, execute: Callable[[str], object]) -> Iterator[bool]:
    """Run a block inside the right transaction; yields whether it is committed at the end."""
    opening = choose_opening(connection)
    if opening is not Opening.INSIDE:
        execute(BEGIN)
    try:
        yield opening is Opening.OWN
    except BaseException:
        # Also where the caller would commit: nothing of theirs is in it yet. A full disk has
        # rolled it back already.
        if opening is not Opening.INSIDE and connection.in_transaction:
            execute("ROLLBACK")
        raise
    if opening is Opening.OWN:
        execute("COMMIT")


def read_quota_exceeded(message: str) -> QuotaExceeded:
    """Read the JSON object in PostgreSQL's message: which quota of whom, and until when."""
    said, _ = json.JSONDecoder().raw_decode(message[message.index("{") :])
    tenant, quota, limit = said["tenant"], said["quota"], said["limit"]
    return QuotaExceeded(tenant, quota, limit, retry_after=said["retry_after"])
