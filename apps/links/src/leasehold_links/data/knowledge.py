"""What is known before links are fetched, and what is learnt from their answers; many at once."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Sequence
from datetime import datetime, timedelta
from typing import TYPE_CHECKING, Any, NamedTuple, TypeAlias
from uuid import UUID

from sqlalchemy import bindparam, func, literal, select, update

from leasehold_links.data.tables import canonical, domain, evidence, robots
from leasehold_links.data.writing import insert_new, upsert
from leasehold_links.model.outcomes import Past, Reason, Step, Verdict
from leasehold_links.pages.metadata import Metadata

if TYPE_CHECKING:
    from sqlalchemy import Connection

REMEMBERED = timedelta(hours=24)  # robots.txt, and answers that count against a domain
_LONGEST_TYPE = 200


class Wanted(NamedTuple):
    """A link, and the domain whose turn it has."""

    canonical_id: UUID
    domain: str


class Known(NamedTuple):
    """A link to fetch."""

    id: UUID
    url: str
    is_blocked: bool


class KnownRobots(NamedTuple):
    """The rules of a site, and until when they count."""

    rules: str
    until: datetime


class KeptPage(NamedTuple):
    """What a page says of itself."""

    canonical_id: UUID
    found: Metadata
    final_url: str
    status: int
    content_type: str
    now: datetime


class KeptVerdict(NamedTuple):
    """Why there is no page."""

    canonical_id: UUID
    domain: str
    verdict: Verdict
    status: int | None
    now: datetime


class KeptRobots(NamedTuple):
    """The answer of a site that was asked for its rules."""

    origin: str
    status: int
    rules: str
    now: datetime


Kept: TypeAlias = KeptPage | KeptVerdict | KeptRobots


# -- before ----------------------------------------------------------------------------------------
def load(connection: Connection, wanted: Sequence[Wanted], _now: datetime) -> list[Known | None]:
    """Read what is to be fetched, and may be; None when nobody has the link any more."""
    columns = canonical.c
    ids = [each.canonical_id for each in wanted]
    found = connection.execute(select(columns.id, columns.url).where(columns.id.in_(ids)))
    urls = {id_: url for id_, url in found}  # noqa: C416 - rows are no pairs to mypy
    blocked = _blocked_of(connection, {each.domain for each in wanted})
    return [
        Known(id_, urls[id_], of_domain in blocked) if id_ in urls else None
        for id_, of_domain in wanted
    ]


def _blocked_of(connection: Connection, names: Iterable[str]) -> set[str]:
    is_named = domain.c.domain.in_(list(names))
    return set(
        connection.scalars(select(domain.c.domain).where(is_named, domain.c.state == "blocked"))
    )


def load_past(connection: Connection, wanted: Sequence[Wanted], now: datetime) -> list[Past]:
    """Read what was before: of a link, and of its domain. Only asked for when it matters."""
    return [_past_of(connection, each, now) for each in wanted]


def _past_of(connection: Connection, wanted: Wanted, now: datetime) -> Past:
    columns = canonical.c
    row = connection.execute(
        select(columns.snoozes, columns.snoozed_since).where(columns.id == wanted.canonical_id)
    ).first()
    snoozes, since = (0, None) if row is None else row
    return Past(
        snoozes=snoozes,
        snoozing_seconds=0.0 if since is None else (now - since).total_seconds(),
        forbidden_addresses=_count_forbidden(connection, wanted, now),
    )


def _count_forbidden(connection: Connection, wanted: Wanted, now: datetime) -> int:
    """Count others of the domain that answered 403, since a person has allowed it at least."""
    columns = evidence.c
    allowed_at = connection.scalar(
        select(domain.c.decided_at).where(
            domain.c.domain == wanted.domain, domain.c.state == "allowed"
        )
    )
    since = now - REMEMBERED if allowed_at is None else max(now - REMEMBERED, allowed_at)
    counted = select(func.count()).where(
        columns.domain == wanted.domain,
        columns.reason == Reason.FORBIDDEN.value,
        columns.canonical_id != wanted.canonical_id,
        columns.seen_at > since,
    )
    return int(connection.scalar(counted) or 0)


def load_robots(
    connection: Connection, origins: Sequence[str], _now: datetime
) -> list[KnownRobots | None]:
    """Read the rules of sites as they were when we last asked."""
    columns = robots.c
    found = connection.execute(
        select(columns.origin, columns.rules, columns.fetched_at).where(columns.origin.in_(origins))
    )
    known = {origin: KnownRobots(rules, at + REMEMBERED) for origin, rules, at in found}
    return [known.get(origin) for origin in origins]


# -- after -----------------------------------------------------------------------------------------
def keep(connection: Connection, learnt: Sequence[Kept]) -> None:
    """Write down what was learnt, all of it in the caller's transaction."""
    by_kind: defaultdict[type[Kept], list[Any]] = defaultdict(list)
    for each in learnt:
        by_kind[type(each)].append(each)
    # In one order, so that two processes do not wait for each other in a circle.
    for site in sorted(by_kind[KeptRobots]):
        _keep_robots(connection, site)
    if by_kind[KeptPage]:
        _keep_pages(connection, sorted(by_kind[KeptPage], key=_id_of))
    for verdict in sorted(by_kind[KeptVerdict], key=_id_of):
        _keep_verdict(connection, verdict)


def _id_of(each: KeptPage | KeptVerdict) -> UUID:
    return each.canonical_id


def _keep_robots(connection: Connection, learnt: KeptRobots) -> None:
    row = {
        "origin": learnt.origin,
        "status": learnt.status,
        "rules": learnt.rules,
        "fetched_at": learnt.now,
    }
    upsert(connection, robots, row, key=["origin"])


_SAID = Metadata.__struct_fields__
_KEEP_PAGE = (
    update(canonical)
    .where(canonical.c.id == bindparam("of"))
    .values(
        {name: bindparam(f"new_{name}") for name in _SAID}
        | {
            "final_url": bindparam("new_final_url"),
            "status": bindparam("new_status"),
            "content_type": bindparam("new_content_type"),
            "fetched_at": bindparam("new_fetched_at"),
            "reason": None,
            "snoozes": 0,
            "snoozed_since": None,
        }
    )
)


def _keep_pages(connection: Connection, learnt: Sequence[KeptPage]) -> None:
    rows = [
        {f"new_{name}": getattr(each.found, name) for name in _SAID}
        | {
            "of": each.canonical_id,
            "new_final_url": each.final_url,
            "new_status": each.status,
            "new_content_type": each.content_type[:_LONGEST_TYPE],
            "new_fetched_at": each.now,
        }
        for each in learnt
    ]
    connection.execute(_KEEP_PAGE, rows)


def _keep_verdict(connection: Connection, learnt: KeptVerdict) -> None:
    """Write down why there is no page, and what that tells of its domain."""
    verdict, columns = learnt.verdict, canonical.c
    reason = None if verdict.reason is None else verdict.reason.value
    changes: dict[str, Any] = {"reason": reason, "status": learnt.status}
    if verdict.step is Step.SNOOZE:
        changes["snoozes"] = columns.snoozes + 1
        moment = literal(learnt.now, columns.snoozed_since.type)
        changes["snoozed_since"] = func.coalesce(columns.snoozed_since, moment)
    connection.execute(update(canonical).where(columns.id == learnt.canonical_id).values(**changes))
    if verdict.is_candidate or verdict.reason is Reason.FORBIDDEN:
        _note_evidence(connection, learnt, reason)


def _note_evidence(connection: Connection, learnt: KeptVerdict, reason: str | None) -> None:
    row = {
        "domain": learnt.domain,
        "canonical_id": learnt.canonical_id,
        "reason": reason,
        "status": learnt.status,
        "seen_at": learnt.now,
    }
    upsert(connection, evidence, row, key=["domain", "canonical_id", "reason"])
    if learnt.verdict.is_candidate:
        named = {"domain": learnt.domain, "state": "candidate", "created_at": learnt.now}
        insert_new(connection, domain, [named])
