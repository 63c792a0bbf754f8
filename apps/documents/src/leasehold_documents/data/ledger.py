"""Money: reserved with the consent, booked with the work, given back when nothing came of it.

For each extraction there is at most one row of each kind, whoever writes it how often, and
reserved = booked + given back as soon as it has ended.
"""

from __future__ import annotations

from datetime import datetime
from typing import TYPE_CHECKING, NamedTuple
from uuid import UUID, uuid4

from sqlalchemy import case, exists, func, select

from leasehold.kit.data import insert_new
from leasehold_documents.data.tables import ledger

if TYPE_CHECKING:
    from sqlalchemy import Connection


class What(NamedTuple):
    """What is paid for: an extraction of a content by an engine."""

    tenant_id: UUID
    extraction_id: UUID
    sha256: str
    engine: str


class Amount(NamedTuple):
    """Pages, and what they cost."""

    pages: int
    cents: int


class Balance(NamedTuple):
    """What a tenant owes, and what may come."""

    booked_cents: int
    reserved_cents: int  # … of extractions that have not ended
    refunded_cents: int


def reserve(connection: Connection, what: What, amount: Amount, now: datetime) -> None:
    """Set aside what it costs at most."""
    _write(connection, what, "reserve", amount, now)


def book(connection: Connection, what: What, amount: Amount, now: datetime) -> None:
    """Charge for it, and give back what was reserved beyond that."""
    reserved = _reserved(connection, what)
    _write(connection, what, "book", amount, now)
    rest = Amount(max(0, reserved.pages - amount.pages), reserved.cents - amount.cents)
    if rest.cents:
        _write(connection, what, "refund", rest, now)


def refund(connection: Connection, what: What, now: datetime) -> int:
    """Give back all that was reserved; says how much. Nothing when nothing was."""
    reserved = _reserved(connection, what)
    if reserved.pages or reserved.cents:
        _write(connection, what, "refund", reserved, now)
    return reserved.cents


def is_paid(connection: Connection, tenant_id: UUID, sha256: str, engine: str) -> bool:
    """Whether this tenant has paid for this content and engine before."""
    paid = exists().where(
        ledger.c.tenant_id == tenant_id,
        ledger.c.sha256 == sha256,
        ledger.c.engine == engine,
        ledger.c.entry == "book",
        ledger.c.cents > 0,
    )
    return bool(connection.scalar(select(paid)))


def balance(connection: Connection, tenant_id: UUID) -> Balance:
    """Add up a tenant's rows."""
    sums = {
        entry: func.coalesce(func.sum(case((ledger.c.entry == entry, ledger.c.cents))), 0)
        for entry in ("reserve", "book", "refund")
    }
    wanted = select(sums["reserve"], sums["book"], sums["refund"])
    reserved, booked, refunded = connection.execute(
        wanted.where(ledger.c.tenant_id == tenant_id)
    ).one()
    return Balance(int(booked), int(reserved - booked - refunded), int(refunded))


def _reserved(connection: Connection, what: What) -> Amount:
    is_it = (
        (ledger.c.tenant_id == what.tenant_id)
        & (ledger.c.extraction_id == what.extraction_id)
        & (ledger.c.entry == "reserve")
    )
    row = connection.execute(select(ledger.c.pages, ledger.c.cents).where(is_it)).first()
    return Amount(0, 0) if row is None else Amount(*row)


def _write(connection: Connection, what: What, entry: str, amount: Amount, now: datetime) -> None:
    """Write a row, unless it is there: a second one would be a second charge."""
    row = {"id": uuid4(), **what._asdict(), "entry": entry, **amount._asdict(), "created_at": now}
    insert_new(connection, ledger, [row])
