"""What became of enrichments, as people ask for it: dead letters, counts, domains that fail.

State is the queue's: it is read through a view, never kept twice.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator
from operator import itemgetter
from typing import TYPE_CHECKING, Any
from uuid import UUID

import msgspec
from sqlalchemy import Boolean, ColumnElement, Select, column, distinct, exists, func, select, table

from leasehold.kit.data import Id
from leasehold_links.data.tables import canonical, link

if TYPE_CHECKING:
    from sqlalchemy import Connection

# The queue's states; a cancelled enrichment is dead to its link.
_DEAD = ("dead", "cancelled")
_FAILED = ("failed", *_DEAD)
_STARTED = ("running", "succeeded", *_FAILED)
TOP_DOMAINS = 10
STEP = 500
standing = table(
    "links_standing",
    column("id", Id),
    column("job_id", Id),
    *(column(name) for name in ("url", "domain", "reason", "answer", "state", "attempts")),
    column("is_enriched", Boolean),
)
states = table("links_states", column("id", Id), column("state"))


class DeadLetter(msgspec.Struct, frozen=True, kw_only=True):
    """A link that has no more than its address, and will not without a person's word."""

    canonical_id: UUID
    link_id: UUID | None  # the first placement with its user; None for everybody's
    job_id: UUID
    url: str
    domain: str
    reason: str  # model/outcomes.Reason, or "lost": its workers died with it
    status: int | None
    attempts: int


class DeadGroup(msgspec.Struct, frozen=True):
    """So many dead letters of one domain have one reason."""

    domain: str
    reason: str
    count: int


class Wanted(msgspec.Struct, frozen=True, kw_only=True):
    """Which enrichments; None does not restrict. Without a user they are everybody's."""

    user_id: str | None = None
    domain: str | None = None
    reasons: tuple[str, ...] | None = None

    def conditions(self) -> Iterator[ColumnElement[bool]]:
        if self.user_id is not None:
            yield _is_of(self.user_id, standing.c.id)
        if self.domain is not None:
            yield standing.c.domain == self.domain
        if self.reasons is not None:
            yield standing.c.reason.in_(self.reasons)


def _is_of(user_id: str, canonical_id: ColumnElement[Any]) -> ColumnElement[bool]:
    """Whether a canonical link stands in one of this user's folders."""
    return exists().where(link.c.canonical_id == canonical_id, link.c.user_id == user_id)


def dead_letters(
    connection: Connection, wanted: Wanted, *, after: UUID | None = None, limit: int = 100
) -> list[DeadLetter]:
    """List dead letters by their canonical ids; the next page is `after` the last one."""
    c = standing.c
    query = _dead(wanted, c.id, c.job_id, c.url, c.domain, c.reason, c.answer, c.attempts)
    found = connection.execute(_page(query, after, limit)).all()
    placed = _placements(connection, wanted.user_id, [row[0] for row in found])
    return [
        DeadLetter(
            canonical_id=id_,
            link_id=placed.get(id_, (None, url))[0],
            job_id=job_id,
            url=placed.get(id_, (None, url))[1],  # as this user wrote it
            domain=domain,
            reason=why,
            status=status,
            attempts=attempts,
        )
        for id_, job_id, url, domain, why, status, attempts in found
    ]


def dead_groups(connection: Connection, wanted: Wanted) -> list[DeadGroup]:
    """Count dead letters by domain and reason, the most first."""
    count, c = func.count().label("count"), standing.c
    query = (
        _dead(wanted, c.domain, c.reason, count)
        .group_by(c.domain, c.reason)
        .order_by(count.desc(), c.domain, c.reason)
    )
    return [DeadGroup(*row) for row in connection.execute(query)]


def dead_jobs(
    connection: Connection, wanted: Wanted, *, after: UUID | None = None, limit: int = STEP
) -> list[tuple[UUID, UUID]]:
    """List dead letters as (canonical, job), a page at a time."""
    query = _page(_dead(wanted, standing.c.id, standing.c.job_id), after, limit)
    return [(id_, job_id) for id_, job_id in connection.execute(query)]


def count_dead(connection: Connection, wanted: Wanted) -> int:
    return int(connection.scalar(_dead(wanted, func.count())) or 0)


def count_by_status(connection: Connection, user_id: str | None) -> dict[str, int]:
    """Count enrichments by the seed's states: those that wait are all but the others."""
    counts = {"queued": connection.scalar(_all(user_id)) or 0}
    query = select(states.c.state, func.count()).where(states.c.state.in_(_STARTED))
    if user_id is not None:
        query = query.where(_is_of(user_id, states.c.id))
    for state, count in connection.execute(query.group_by(states.c.state)):
        status = "dead" if state in _DEAD else state
        counts[status] = counts.get(status, 0) + count
        counts["queued"] -= count
    return counts


def _all(user_id: str | None) -> Select[Any]:
    if user_id is None:
        return select(func.count()).select_from(canonical).where(canonical.c.job_id.is_not(None))
    return select(func.count(distinct(link.c.canonical_id))).where(link.c.user_id == user_id)


def top_failures(
    connection: Connection, user_id: str | None, limit: int = TOP_DOMAINS
) -> list[tuple[str, int]]:
    """Name the domains with the most links that failed, and how many each has."""
    count, c = func.count().label("count"), standing.c
    query = (
        select(c.domain, count)
        .where(
            c.is_enriched.is_(False), c.state.in_(_FAILED), *Wanted(user_id=user_id).conditions()
        )
        .group_by(c.domain)
        .order_by(count.desc(), c.domain)
        .limit(limit)
    )
    return [(domain, number) for domain, number in connection.execute(query)]


def _dead(wanted: Wanted, *columns: Any) -> Select[Any]:
    # What was fetched since it was enqueued, and has no reason against it, has not failed.
    is_dead = (standing.c.state.in_(_DEAD), standing.c.is_enriched.is_(False))
    return select(*columns).select_from(standing).where(*is_dead, *wanted.conditions())


def _page(query: Select[Any], after: UUID | None, limit: int) -> Select[Any]:
    if after is not None:
        query = query.where(standing.c.id > after)
    return query.order_by(standing.c.id).limit(limit)


def _placements(
    connection: Connection, user_id: str | None, canonical_ids: Collection[UUID]
) -> dict[UUID, tuple[UUID, str]]:
    """Find a link of this user for each of these, and the address that it has there."""
    if user_id is None or not canonical_ids:
        return {}
    columns = link.c
    found = connection.execute(
        select(columns.canonical_id, columns.id, columns.url)
        # By the links' addresses, which are few: with the bare user SQLite goes through all of his.
        .where(columns.user_id + "" == user_id, columns.canonical_id.in_(canonical_ids))
    )
    newest_first = sorted(found, key=itemgetter(1), reverse=True)  # so that the first one stays
    return {canonical_id: (id_, url) for canonical_id, id_, url in newest_first}
