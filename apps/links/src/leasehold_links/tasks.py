"""The jobs of the library: import a file, enrich a link, forget what nobody needs."""

from __future__ import annotations

import asyncio
from collections.abc import Sequence
from typing import Any, assert_never
from uuid import UUID

import leasehold as lh
from leasehold.kit.data import Database, database_of
from leasehold_links import retaining
from leasehold_links.bookmarks.values import NotBookmarks
from leasehold_links.data import imports, library
from leasehold_links.enriching import OtherTurn, enricher_of
from leasehold_links.importing import Importer
from leasehold_links.model.outcomes import Step, Verdict

DOMAIN = lh.Throttle("domain", running=2)
AT_ONCE = 10  # the priority of single links: a person looks at the page and waits


@lh.task(
    name="links.enrich",
    queue="links",
    max_attempts=2,
    retry=lh.delays("5m"),
    timeout="30s",
    throttle=DOMAIN.by("turn"),
    share=lh.by("user_id"),
    key=lh.by("canonical_id"),
    unique_for="ever",
    keep="ever",  # as long as its link: `retaining.py`
)
async def enrich(
    canonical_id: UUID, turn: str, user_id: str, url: str | None = None, hops: int = 0
) -> None:
    """Fetch what a link says of itself. `url`: where a redirect of another domain has led to.

    The user is whoever wanted it first: users take turns, so that a large import keeps nobody
    waiting.
    """
    job = lh.current_job()
    client = job.client
    database = database_of(client.url)
    try:
        verdict = await enricher_of(database).run(canonical_id, turn, url, hops)
    except OtherTurn as other:
        await asyncio.to_thread(go_on_elsewhere, client, database, canonical_id, user_id, other)
        raise lh.Cancel(f"it goes on at {other.turn}") from None
    if verdict.pause_seconds:
        reason = str(verdict.reason)
        await asyncio.to_thread(job.pause_throttle, verdict.pause_seconds, reason=reason)
    settle(verdict)


def settle(verdict: Verdict) -> None:
    """End the job as the answer says."""
    reason = str(verdict.reason or "")
    match verdict.step:
        case Step.SUCCEED:
            return
        case Step.SNOOZE:
            raise lh.Snooze(verdict.pause_seconds, reason=reason)
        case Step.FAIL:
            raise Unreachable(reason)
        case Step.DIE:
            raise lh.Dead(reason)
        case _:
            assert_never(verdict.step)


def go_on_elsewhere(
    client: lh.Client, database: Database, canonical_id: UUID, user_id: str, other: OtherTurn
) -> None:
    """Hand the job on to where its next address is counted, in place of this one."""
    instead = enrich.with_options(on_duplicate="replace", unique_for="live")
    with database.write() as connection:
        made = client.on(connection).enqueue(
            instead, canonical_id, other.turn, user_id, other.url, other.hops
        )
        library.note_jobs(connection, [(canonical_id, made.id)])


def begin_enriching(
    client: lh.Client,
    connection: Any,
    user_id: str,
    fresh: Sequence[library.NewCanonical],
    *,
    priority: int = 0,
) -> None:
    """Enqueue the enrichment of new canonical links, with the caller's commit."""
    task = enrich.with_options(priority=priority) if priority else enrich
    calls = (
        each.call
        if each.call is not None and not priority
        else task.call(each.id, each.turn, user_id)
        for each in fresh
    )
    client.on(connection).enqueue_many(calls, ids=[each.job_id for each in fresh])


class Unreachable(Exception):
    """An answer that may be another one later."""


# A worker that is killed counts as an attempt, however far the import had come.
@lh.task(name="links.import", queue="links-imports", timeout="1h", max_attempts=10, keep="ever")
def import_file(import_id: UUID, user_id: str) -> None:
    """Import an uploaded file; goes on where an earlier attempt was stopped."""
    job = lh.current_job()
    database = database_of(job.client.url)
    try:
        Importer(
            job, database, import_id, user_id, enqueue=begin_enriching, make_call=enrich.call
        ).run()
    except NotBookmarks as error:
        drop_file(database, import_id)
        raise lh.Dead(str(error)) from error
    except (lh.Cancel, lh.Cancelling):
        drop_file(database, import_id)
        raise


def drop_file(database: Database, import_id: UUID) -> None:
    """Forget a file that nobody will read again, also when the worker tells us to stop just now."""
    try:
        _drop_file(database, import_id)
    except lh.Interrupted:
        _drop_file(database, import_id)
        raise


def _drop_file(database: Database, import_id: UUID) -> None:
    with database.write() as connection:
        imports.drop_file(connection, import_id)


@lh.task(name="links.retention", queue="links-imports", timeout="1h")
def retain() -> dict[str, int]:
    """Forget what nobody needs any more."""
    job = lh.current_job()
    return retaining.retain(job, database_of(job.client.url))


daily = lh.schedule("links.retention", "@daily", retain, jitter="1h")
