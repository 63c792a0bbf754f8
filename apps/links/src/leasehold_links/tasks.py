"""The jobs of the library: import a file, enrich a link."""

from __future__ import annotations

import asyncio
from collections.abc import Sequence
from datetime import UTC, datetime
from functools import lru_cache
from typing import TYPE_CHECKING, Any, assert_never
from uuid import UUID

import leasehold as lh
from leasehold_links.bookmarks.lines import Line
from leasehold_links.bookmarks.values import NotBookmarks
from leasehold_links.data import imports, library
from leasehold_links.data.database import Database
from leasehold_links.enriching import OtherTurn, enricher_of
from leasehold_links.importing import count_lines, read_lines, store_lines
from leasehold_links.model.outcomes import Step, Verdict

if TYPE_CHECKING:
    from sqlalchemy import Connection
    from sqlalchemy.orm import Session

DOMAIN = lh.Throttle("domain", running=2)


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
    settle(job, verdict)


def settle(job: Any, verdict: Verdict) -> None:
    """End the job as the answer says."""
    reason = str(verdict.reason or "")
    match verdict.step:
        case Step.SUCCEED:
            return
        case Step.SNOOZE:
            job.pause_throttle(verdict.pause_seconds, reason=reason)
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
    connection: Connection | Session,
    user_id: str,
    fresh: Sequence[library.NewCanonical],
) -> None:
    """Enqueue the enrichment of new canonical links, with the caller's commit.

    On a session it also wakes a worker then.
    """
    jobs = client.on(connection).enqueue_all(
        enrich.call(each.id, each.turn, user_id) for each in fresh
    )
    noted = [(new.id, job.id) for new, job in zip(fresh, jobs, strict=True)]
    library.note_jobs(connection, noted)


class Unreachable(Exception):
    """An answer that may be another one later."""


@lh.task(name="links.import", queue="links-imports", timeout="1h", max_attempts=5)
def import_file(import_id: UUID, user_id: str) -> dict[str, int]:
    """Import an uploaded file; goes on where an earlier attempt was stopped."""
    job = lh.current_job()
    importer = Importer(job.client, import_id, user_id)
    try:
        return importer.run(job)
    except NotBookmarks as error:
        raise lh.Dead(str(error)) from error


class Importer:
    """One attempt at an import."""

    def __init__(self, client: lh.Client, import_id: UUID, user_id: str) -> None:
        self._client = client
        self._database = database_of(client.url)
        self._import_id = import_id
        self._user_id = user_id

    def run(self, job: Any) -> dict[str, int]:
        total = self._count()
        start = job.cursor or 0
        job.progress(start, total)
        for lines in read_lines(self._database, self._import_id, start):
            job.check()
            self._take_step(job, lines, total)
        return self._end()

    def _count(self) -> int:
        """Say how many lines there are, before the first of them is read."""
        with self._database.read() as connection:
            row = imports.get(connection, self._import_id)
        if row is None:
            raise lh.Dead(f"there is no import {self._import_id}")
        if row["total_items"] is not None:
            return int(row["total_items"])
        total = count_lines(self._database, self._import_id)
        with self._database.write() as connection:
            imports.set_total(connection, self._import_id, total)
        return total

    def _take_step(self, job: Any, lines: list[Line], total: int) -> None:
        with self._database.write() as connection:
            _, fresh = store_lines(
                connection,
                self._import_id,
                self._user_id,
                lines,
                new_id=self._client.ids.next,
                now=datetime.now(UTC),
            )
            begin_enriching(self._client, connection, self._user_id, fresh)
            done = lines[-1].number + 1
            job.checkpoint(done, done=done, total=total, on=connection)

    def _end(self) -> dict[str, int]:
        with self._database.write() as connection:
            imports.drop_file(connection, self._import_id)
            row = imports.get(connection, self._import_id)
        assert row is not None  # noqa: S101 - its file was there a moment ago
        names = ("imported", "duplicate", "skipped", "failed")
        return {name: row[f"{name}_items"] for name in names}


@lru_cache(maxsize=8)
def database_of(url: str) -> Database:
    """Return the connections to a queue's database, one set of them in a process."""
    return Database(url)
