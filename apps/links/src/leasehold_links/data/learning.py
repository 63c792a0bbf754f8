"""What is learnt from answers, and what they mean; written for many at once."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import datetime
from typing import TYPE_CHECKING, Any, NamedTuple, TypeAlias
from uuid import UUID

from sqlalchemy import bindparam, func, literal, select, update

from leasehold.kit.data import insert_new, upsert
from leasehold_links.data.knowledge import REMEMBERED
from leasehold_links.data.tables import canonical, domain, evidence, robots
from leasehold_links.model.outcomes import (
    ENRICHED,
    PATIENT,
    Past,
    Reason,
    Step,
    Verdict,
    judge_status,
)
from leasehold_links.pages.metadata import Metadata

if TYPE_CHECKING:
    from sqlalchemy import Connection

_LONGEST_TYPE = 200


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


class KeptStatus(NamedTuple):
    """An answer that was no page; what it means depends on what was before."""

    canonical_id: UUID
    domain: str
    status: int
    retry_after: str | None
    now: datetime


class KeptRobots(NamedTuple):
    """The answer of a site that was asked for its rules."""

    origin: str
    status: int
    rules: str
    now: datetime


Kept: TypeAlias = KeptPage | KeptVerdict | KeptStatus | KeptRobots


def keep(connection: Connection, learnt: Sequence[Kept]) -> list[Verdict]:
    """Write down what was learnt, all of it in the caller's transaction; returns what it means."""
    verdicts = {}
    # In one order, so that two processes do not wait for each other in a circle.
    for place in sorted(range(len(learnt)), key=lambda each: _order_of(learnt[each])):
        match learnt[place]:
            case KeptRobots() as site:
                _keep_robots(connection, site)
            case KeptVerdict() as reason:
                verdicts[place] = _keep_verdict(connection, reason)
            case KeptStatus() as status:
                verdicts[place] = _keep_verdict(connection, _judged(connection, status))
            case KeptPage():
                continue
    _keep_pages(connection, [each for each in learnt if isinstance(each, KeptPage)])
    return [verdicts.get(place, ENRICHED) for place in range(len(learnt))]


def _order_of(learnt: Kept) -> tuple[str, str]:
    if isinstance(learnt, KeptRobots):
        return "", learnt.origin
    domain_name = "" if isinstance(learnt, KeptPage) else learnt.domain
    return domain_name, str(learnt.canonical_id)


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
    # By their ids, for the same reason.
    rows = [
        {f"new_{name}": getattr(each.found, name) for name in _SAID}
        | {
            "of": each.canonical_id,
            "new_final_url": each.final_url,
            "new_status": each.status,
            "new_content_type": each.content_type[:_LONGEST_TYPE],
            "new_fetched_at": each.now,
        }
        for each in sorted(learnt, key=lambda one: one.canonical_id)
    ]
    if rows:
        connection.execute(_KEEP_PAGE, rows)


def _judged(connection: Connection, learnt: KeptStatus) -> KeptVerdict:
    """Judge an answer by what was before: of its link, and of its domain until this moment."""
    past = Past()
    if learnt.status in PATIENT:
        if connection.dialect.name == "postgresql":  # SQLite has one writer anyway
            connection.execute(select(func.pg_advisory_xact_lock(func.hashtext(learnt.domain))))
        past = _past_of(connection, learnt)
    verdict = judge_status(learnt.status, retry_after=learnt.retry_after, past=past, now=learnt.now)
    return KeptVerdict(learnt.canonical_id, learnt.domain, verdict, learnt.status, learnt.now)


def _past_of(connection: Connection, learnt: KeptStatus) -> Past:
    columns = canonical.c
    row = connection.execute(
        select(columns.snoozes, columns.snoozed_since).where(columns.id == learnt.canonical_id)
    ).first()
    snoozes, since = (0, None) if row is None else row
    return Past(
        snoozes=snoozes,
        snoozing_seconds=0.0 if since is None else (learnt.now - since).total_seconds(),
        forbidden_addresses=_count_forbidden(connection, learnt),
    )


def _count_forbidden(connection: Connection, learnt: KeptStatus) -> int:
    """Count others of the domain that answered 403, since a person has allowed it at least."""
    columns = evidence.c
    allowed_at = connection.scalar(
        select(domain.c.decided_at).where(
            domain.c.domain == learnt.domain, domain.c.state == "allowed"
        )
    )
    since = max(learnt.now - REMEMBERED, allowed_at or learnt.now - REMEMBERED)
    counted = select(func.count()).where(
        columns.domain == learnt.domain,
        columns.reason == Reason.FORBIDDEN.value,
        columns.canonical_id != learnt.canonical_id,
        columns.seen_at > since,
    )
    return int(connection.scalar(counted) or 0)


def _keep_verdict(connection: Connection, learnt: KeptVerdict) -> Verdict:
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
    return verdict


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
