"""Domains that may not want us: what made us ask, and what a person has decided."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import datetime
from typing import TYPE_CHECKING, Any

import msgspec
from sqlalchemy import func, select

from leasehold.kit.data import upsert
from leasehold_links.data.tables import canonical, domain, evidence

if TYPE_CHECKING:
    from sqlalchemy import Connection

CANDIDATE, BLOCKED, ALLOWED = "candidate", "blocked", "allowed"
STATES = (CANDIDATE, BLOCKED, ALLOWED)
SHOWN_EVIDENCE = 5


class Evidence(msgspec.Struct, frozen=True, kw_only=True):
    """An answer that made us ask. A private link's address is nobody's business but its owner's."""

    reason: str
    status: int | None
    seen_at: datetime
    url: str | None


class DomainInfo(msgspec.Struct, frozen=True, kw_only=True):
    """What is known of a domain: how many answers count against it, and the latest of them."""

    domain: str
    state: str
    decided_by: str | None
    decided_at: datetime | None
    created_at: datetime
    evidence_count: int = 0
    evidence: tuple[Evidence, ...] = ()


def list_domains(
    connection: Connection,
    state: str | None = None,
    *,
    after: str | None = None,
    limit: int = 100,
) -> list[DomainInfo]:
    """List domains by name, those of one state or all; the next page is `after` the last one."""
    query = select(domain).order_by(domain.c.domain).limit(limit)
    if state is not None:
        query = query.where(domain.c.state == state)
    if after is not None:
        query = query.where(domain.c.domain > after)
    return _with_evidence(connection, [dict(row) for row in connection.execute(query).mappings()])


def get_domain(connection: Connection, name: str) -> DomainInfo | None:
    row = connection.execute(select(domain).where(domain.c.domain == name)).mappings().first()
    return None if row is None else _with_evidence(connection, [dict(row)])[0]


def decide(connection: Connection, name: str, state: str, *, by: str, now: datetime) -> None:
    """Write down what a person says of a domain, whether anybody had asked or not."""
    row = {
        "domain": name,
        "state": state,
        "decided_by": by,
        "decided_at": now,
        "created_at": now,
    }
    upsert(connection, domain, row, key=["domain"], keep=["created_at"])


def _with_evidence(connection: Connection, rows: Sequence[dict[str, Any]]) -> list[DomainInfo]:
    counts = _count_evidence(connection, [row["domain"] for row in rows])
    return [
        DomainInfo(
            **row,
            evidence_count=counts.get(row["domain"], 0),
            evidence=_latest(connection, row["domain"]) if row["domain"] in counts else (),
        )
        for row in rows
    ]


def _count_evidence(connection: Connection, names: Sequence[str]) -> dict[str, int]:
    query = (
        select(evidence.c.domain, func.count())
        .where(evidence.c.domain.in_(names))
        .group_by(evidence.c.domain)
    )
    return {name: count for name, count in connection.execute(query)}  # noqa: C416 - rows are no pairs to mypy


def _latest(connection: Connection, name: str) -> tuple[Evidence, ...]:
    columns = evidence.c
    found = connection.execute(
        select(columns.reason, columns.status, columns.seen_at, canonical.c.scope, canonical.c.url)
        .select_from(evidence.outerjoin(canonical, canonical.c.id == columns.canonical_id))
        .where(columns.domain == name)
        .order_by(columns.seen_at.desc())
        .limit(SHOWN_EVIDENCE)
    )
    return tuple(
        Evidence(reason=why, status=status, seen_at=seen_at, url=url if scope == "" else None)
        for why, status, seen_at, scope, url in found
    )
