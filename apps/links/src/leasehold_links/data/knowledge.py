"""What is known before a link is fetched, and what is learnt from the answer."""

from __future__ import annotations

from datetime import datetime, timedelta
from typing import TYPE_CHECKING, Any
from uuid import UUID

import msgspec
from sqlalchemy import func, literal, select, update

from leasehold_links.data.tables import canonical, domain, evidence, robots
from leasehold_links.data.writing import insert_new, upsert
from leasehold_links.model.outcomes import Past, Reason, Verdict

if TYPE_CHECKING:
    from sqlalchemy import Connection

    from leasehold_links.pages.metadata import Metadata

REMEMBERED = timedelta(hours=24)  # robots.txt, and answers that count against a domain


class Known(msgspec.Struct, frozen=True, kw_only=True):
    """A link to fetch."""

    id: UUID
    url: str
    past: Past


def load(connection: Connection, canonical_id: UUID, of_domain: str, now: datetime) -> Known | None:
    """Read what is to be fetched, and what was before; None when nobody has the link any more."""
    columns = canonical.c
    row = connection.execute(
        select(columns.url, columns.snoozes, columns.snoozed_since).where(
            columns.id == canonical_id
        )
    ).first()
    if row is None:
        return None
    url, snoozes, since = row
    past = Past(
        snoozes=snoozes,
        snoozing_seconds=0.0 if since is None else (now - since).total_seconds(),
        forbidden_addresses=_count_forbidden(connection, canonical_id, of_domain, now),
    )
    return Known(id=canonical_id, url=url, past=past)


def _count_forbidden(
    connection: Connection, canonical_id: UUID, of_domain: str, now: datetime
) -> int:
    """Count others of the domain that answered 403, since a person has allowed it at least."""
    columns = evidence.c
    allowed_at = connection.scalar(
        select(domain.c.decided_at).where(domain.c.domain == of_domain, domain.c.state == "allowed")
    )
    since = now - REMEMBERED if allowed_at is None else max(now - REMEMBERED, allowed_at)
    counted = select(func.count()).where(
        columns.domain == of_domain,
        columns.reason == Reason.FORBIDDEN.value,
        columns.canonical_id != canonical_id,
        columns.seen_at > since,
    )
    return int(connection.scalar(counted) or 0)


def is_blocked(connection: Connection, of_domain: str) -> bool:
    state = connection.scalar(select(domain.c.state).where(domain.c.domain == of_domain))
    return state == "blocked"


def robots_of(connection: Connection, origin: str, now: datetime) -> str | None:
    """Return the rules of a site as they were within a day; None when they are to be asked for."""
    row = connection.execute(
        select(robots.c.rules, robots.c.fetched_at).where(robots.c.origin == origin)
    ).first()
    return row[0] if row is not None and row[1] > now - REMEMBERED else None


def keep_robots(
    connection: Connection, origin: str, *, status: int, rules: str, now: datetime
) -> None:
    row = {"origin": origin, "status": status, "rules": rules, "fetched_at": now}
    upsert(connection, robots, row, key=["origin"])


def keep_page(
    connection: Connection,
    canonical_id: UUID,
    found: Metadata,
    *,
    final_url: str,
    status: int,
    content_type: str,
    now: datetime,
) -> None:
    """Write down what a page says of itself."""
    said = {name: getattr(found, name) for name in found.__struct_fields__}
    connection.execute(
        update(canonical)
        .where(canonical.c.id == canonical_id)
        .values(
            **said,
            final_url=final_url,
            status=status,
            content_type=content_type[:200],
            reason=None,
            snoozes=0,
            snoozed_since=None,
            fetched_at=now,
        )
    )


def keep_verdict(
    connection: Connection,
    canonical_id: UUID,
    of_domain: str,
    verdict: Verdict,
    *,
    status: int | None,
    now: datetime,
) -> None:
    """Write down why there is no page, and what that tells of its domain."""
    reason = None if verdict.reason is None else verdict.reason.value
    columns = canonical.c
    changes: dict[str, Any] = {"reason": reason, "status": status}
    if verdict.step == "snooze":
        changes["snoozes"] = columns.snoozes + 1
        moment = literal(now, columns.snoozed_since.type)
        changes["snoozed_since"] = func.coalesce(columns.snoozed_since, moment)
    connection.execute(update(canonical).where(columns.id == canonical_id).values(**changes))
    if verdict.is_candidate or verdict.reason is Reason.FORBIDDEN:
        row = {
            "domain": of_domain,
            "canonical_id": canonical_id,
            "reason": reason,
            "status": status,
            "seen_at": now,
        }
        upsert(connection, evidence, row, key=["domain", "canonical_id", "reason"])
    if verdict.is_candidate:
        named = {"domain": of_domain, "state": "candidate", "created_at": now}
        insert_new(connection, domain, [named])
