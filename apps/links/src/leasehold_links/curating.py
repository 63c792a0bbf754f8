"""What people do with enrichments and domains: try again, refresh, block, allow; and look.

The command line and the web both use this and nothing else. What is a user's is asked for with his
id, and another one's is not there; without an id it is everybody's, which is for operators, as are
decisions about domains.
"""

from __future__ import annotations

from collections.abc import Callable
from datetime import UTC, datetime
from typing import TYPE_CHECKING, Any
from uuid import UUID

import msgspec
from sqlalchemy import select, update

import leasehold as lh
from leasehold_links import tasks
from leasehold_links.data import domains, enrichments, library
from leasehold_links.data.enrichments import DeadGroup, DeadLetter, Wanted
from leasehold_links.data.tables import canonical, link
from leasehold_links.errors import BadDomain, LinkNotFound
from leasehold_links.model.addresses import NotFetchable, read_address
from leasehold_links.model.outcomes import Reason
from leasehold_links.tasks import enrich
from leasehold_links.turns import turn_named

if TYPE_CHECKING:
    from leasehold.kit.data import Database
    from leasehold_links.data.domains import DomainInfo

# What may be otherwise once a person has allowed a domain.
LIFTED = (Reason.BLOCKED, Reason.ROBOTS, Reason.CAPTCHA, Reason.FORBIDDEN)
STATUSES = ("queued", "running", "succeeded", "failed", "dead")


class Requeued(msgspec.Struct, frozen=True):
    """How many dead letters there were, and how many of them wait for another attempt now."""

    matched: int = 0
    requeued: int = 0


class Refreshed(msgspec.Struct, frozen=True, kw_only=True):
    """The enrichment that stands; not a new one if one was waiting or running already."""

    job_id: UUID
    is_new: bool


class Decision(msgspec.Struct, frozen=True, kw_only=True):
    """A decision about a domain. Of everybody's dead letters so many could be tried again now."""

    domain: str
    state: str
    requeueable: int = 0


class Stats(msgspec.Struct, frozen=True, kw_only=True):
    """Enrichments by the seed's states, and the domains with the most failures."""

    by_status: dict[str, int]
    success_count: int
    fail_count: int
    top_failure_domains: list[tuple[str, int]]


# -- dead letters ----------------------------------------------------------------------------------
def list_dead(
    database: Database, wanted: Wanted, *, after: UUID | None = None, limit: int = 100
) -> list[DeadLetter]:
    """List dead letters; the next page is `after` the last one's canonical id."""
    with database.browse() as connection:
        return enrichments.dead_letters(connection, wanted, after=after, limit=limit)


def group_dead(database: Database, wanted: Wanted) -> list[DeadGroup]:
    """Count dead letters by domain and reason, the most first."""
    with database.browse() as connection:
        return enrichments.dead_groups(connection, wanted)


def requeue(
    client: lh.Client,
    database: Database,
    wanted: Wanted,
    *,
    progress: Callable[[Requeued], object] | None = None,
) -> Requeued:
    """Let dead letters be tried again, in steps; what is done stays done if it is broken off."""
    done = Requeued()
    after: UUID | None = None
    while step := _dead_step(database, wanted, after):
        after = step[-1][0]
        changed = client.retry_these(job_id for _, job_id in step).changed
        done = Requeued(done.matched + len(step), done.requeued + changed)
        if progress is not None:
            progress(done)
    return done


def requeue_link(client: lh.Client, database: Database, user_id: str, link_id: UUID) -> bool:
    """Let one dead letter of a user be tried again; False if it is none."""
    found = _find_link(database, user_id, link_id)
    with database.write() as connection:
        _forget_snoozes(connection, [found.canonical_id])
    if found.job_id is None or client.get(found.job_id).state not in _DEAD:
        return False
    return client.retry_these([found.job_id]).changed > 0


def refresh(client: lh.Client, database: Database, user_id: str, link_id: UUID) -> Refreshed:
    """Fetch a link anew, whatever became of it: a new job takes its key over.

    While one waits or runs, that one stands.
    """
    found = _find_link(database, user_id, link_id)
    again = enrich.with_options(unique_for="live", priority=tasks.AT_ONCE)
    with database.write() as connection:
        _forget_snoozes(connection, [found.canonical_id])
        made = client.on(connection).enqueue(
            again, found.canonical_id, turn_named(found.host, found.domain), user_id
        )
        library.note_jobs(connection, [(found.canonical_id, made.id)])
    return Refreshed(job_id=made.id, is_new=made.is_new)


# -- domains ---------------------------------------------------------------------------------------
def list_domains(
    database: Database, state: str | None = None, *, after: str | None = None, limit: int = 100
) -> list[DomainInfo]:
    """List domains with what counts against them: candidates, blocked or allowed ones, or all."""
    with database.browse() as connection:
        return domains.list_domains(connection, state, after=after, limit=limit)


def block(database: Database, domain: str, *, by: str) -> Decision:
    """Fetch nothing of this domain any more: its links die without a request."""
    name = read_domain(domain)
    with database.write() as connection:
        domains.decide(connection, name, domains.BLOCKED, by=by, now=datetime.now(UTC))
    return Decision(domain=name, state=domains.BLOCKED)


def allow(database: Database, domain: str, *, by: str) -> Decision:
    """Lift a block, or say that a candidate is none; says how many links `requeue_lifted` takes."""
    name = read_domain(domain)
    with database.write() as connection:
        domains.decide(connection, name, domains.ALLOWED, by=by, now=datetime.now(UTC))
    with database.browse() as connection:
        count = enrichments.count_dead(connection, _lifted(name))
    return Decision(domain=name, state=domains.ALLOWED, requeueable=count)


def requeue_lifted(
    client: lh.Client,
    database: Database,
    domain: str,
    *,
    progress: Callable[[Requeued], object] | None = None,
) -> Requeued:
    """Try everybody's links of a domain again that died of what `allow` has lifted."""
    return requeue(client, database, _lifted(read_domain(domain)), progress=progress)


def read_domain(text: str) -> str:
    """Read a domain as people write it: with a scheme or a path, a host of it, in any script."""
    written = text.strip()
    try:
        return read_address(written if "://" in written else f"https://{written}").domain
    except NotFetchable:
        raise BadDomain(text) from None


# -- counts ----------------------------------------------------------------------------------------
def stats(database: Database, user_id: str | None = None) -> Stats:
    """Count enrichments, a user's or everybody's."""
    with database.browse() as connection:
        counts = dict.fromkeys(STATUSES, 0) | enrichments.count_by_status(connection, user_id)
        failed = counts["failed"] + counts["dead"]
        top = enrichments.top_failures(connection, user_id) if failed else []
    return Stats(
        by_status=counts,
        success_count=counts["succeeded"],
        fail_count=failed,
        top_failure_domains=top,
    )


class _Found(msgspec.Struct, frozen=True):
    canonical_id: UUID
    job_id: UUID | None
    host: str
    domain: str


_DEAD = (lh.State.DEAD, lh.State.CANCELLED)


def _find_link(database: Database, user_id: str, link_id: UUID) -> _Found:
    c = canonical.c
    query = (
        select(c.id, c.job_id, c.host, c.domain)
        .select_from(link.join(canonical, c.id == link.c.canonical_id))
        .where(link.c.id == link_id, link.c.user_id == user_id)
    )
    with database.browse() as connection:
        row = connection.execute(query).first()
    if row is None:
        raise LinkNotFound(link_id)
    return _Found(*row)


def _dead_step(database: Database, wanted: Wanted, after: UUID | None) -> list[tuple[UUID, UUID]]:
    """Read the next dead letters; they have all their patience again before they are queued."""
    with database.browse() as connection:
        found = enrichments.dead_jobs(connection, wanted, after=after)
    if found:
        with database.write() as connection:
            _forget_snoozes(connection, [canonical_id for canonical_id, _ in found])
    return found


def _forget_snoozes(connection: Any, canonical_ids: list[UUID]) -> None:
    if canonical_ids:
        connection.execute(
            update(canonical)
            .where(canonical.c.id.in_(canonical_ids))
            .values(snoozes=0, snoozed_since=None)
        )


def _lifted(name: str) -> Wanted:
    return Wanted(domain=name, reasons=tuple(str(each) for each in LIFTED))
