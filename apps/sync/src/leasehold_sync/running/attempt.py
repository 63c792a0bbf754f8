"""One attempt at a task: goes on from its cursor, and ends as the source or the worker says."""

from __future__ import annotations

import time
from collections.abc import Iterator
from contextlib import AbstractContextManager, contextmanager
from datetime import UTC, datetime, timedelta
from typing import TYPE_CHECKING, Any, NamedTuple, NoReturn
from uuid import UUID

import msgspec

import leasehold as lh
from leasehold.kit.data import Database, database_of, driver_connection, refusals
from leasehold_sync import apps
from leasehold_sync.connectors.errors import RateLimited, ScanLost, SourceFailed, Unauthorised
from leasehold_sync.data import entities, seen, tasks
from leasehold_sync.errors import SyncError
from leasehold_sync.model.counts import Counts
from leasehold_sync.model.scans import Scan
from leasehold_sync.running.finishing import finish
from leasehold_sync.running.reading import Source, begin_scan, open_source

if TYPE_CHECKING:
    from sqlalchemy import Connection

    from leasehold_sync.model.pages import Page
    from leasehold_sync.running.limits import Limits

TURN_SECONDS = 600.0  # then others that wait for a slot go first


class Asked(NamedTuple):
    """What the task is to do."""

    app_key: str
    resource: str
    mode: str


class Attempt:
    """Reads a resource as the queue's job, page by page under its lease."""

    def __init__(self, job: Any, asked: Asked, limits: Limits) -> None:
        self._job = job
        self._asked = asked
        self._limits = limits
        self._database: Database = database_of(job.client.url)
        self._run_id: UUID = job.batch_id
        self._scan: Scan = job.cursor_as(Scan) or self._begin_scan()
        self._gives_way_at = time.monotonic() + TURN_SECONDS
        self._has_moved = False

    def run(self) -> None:
        """Read on and finish; every end but a good one is an exception."""
        self._limits.note(self._job.id, self._run_id)
        self._begin()
        with self._told():
            app = apps.get(self._database, self._asked.app_key)
            with open_source(
                self._job.client, app, self._asked.resource, self._limits.page_seconds
            ) as source:
                self._finish(source, source.read(self._scan, self))

    def _begin(self) -> None:
        with self._saving() as connection:
            refusal = tasks.begin(connection, self._job.id, self._scan.started_at)
        if refusal is not None:
            raise lh.Dead(refusal)

    def _begin_scan(self) -> Scan:
        asked = self._asked
        return begin_scan(self._database, asked.app_key, asked.resource, asked.mode)

    @contextmanager
    def _saving(
        self, writing: AbstractContextManager[Connection] | None = None
    ) -> Iterator[Connection]:
        """Write together with the cursor, or not at all: the task may be another's by now."""
        before = self._scan
        try:
            with writing or self._database.write() as connection:
                yield connection
                done = self._scan.entities
                self._job.checkpoint(self._scan, done=done, on=driver_connection(connection))
        except BaseException:
            self._scan = before
            raise

    # -- what a Keeper does ------------------------------------------------------------------------
    def check(self) -> None:
        """Hand back at the end of the worker's time; give way to others after a long turn."""
        self._job.check()
        if time.monotonic() > self._gives_way_at:
            raise lh.Snooze(0, reason="others go first for a while")
        if self._has_moved and self._job.lapses:
            # Its worker died, and it has got on since: deaths that follow do not add up.
            raise lh.Snooze(0, reason="it goes on after its worker was lost")

    def keep(self, page: Page, scan: Scan) -> Scan:
        now = datetime.now(UTC)
        run = entities.Run(self._asked.app_key, str(self._run_id), scan.since is None, now)
        with self._database.turn() as turn:
            found = entities.compare(turn.bulk, run, (*page.items, *page.children), page.version)
            # A page that brings nothing new would only be read again.
            with self._saving(turn.write(is_lasting=bool(found.rows))) as connection:
                bulk = self._database.bulk(connection)
                entities.write(bulk, found.rows)
                seen.mark(bulk, self._job.id, scan.pages, found.unchanged, now)
                told = found.counts + Counts(nameless=page.nameless)
                is_cancelled = tasks.add(bulk, self._job.id, told)
                self._scan = scan.counting(found.counts)
        self._has_moved = True
        if is_cancelled:
            raise lh.Cancel("cancelled")
        return self._scan

    def rest(self, seconds: float) -> None:
        self._snooze(seconds, "the source's window is used up")

    # -- the end -----------------------------------------------------------------------------------
    def _finish(self, source: Source, scan: Scan) -> None:
        """Delete, count and save in one transaction: a second attempt finds it done."""
        if scan.is_finished:
            return
        with self._saving() as connection:
            force = tasks.is_forced(connection, self._run_id)
            ended = finish(
                connection, source, scan, scan_id=self._job.id, run_id=self._run_id, force=force
            )
            tasks.finish(
                connection,
                self._job.id,
                unchanged=ended.unchanged,
                deleted=ended.deleted,
                note=ended.note,
            )
            self._scan = msgspec.structs.replace(scan, is_finished=True)

    @contextmanager
    def _told(self) -> Iterator[None]:
        """Turn what went wrong into how the attempt ends."""
        try:
            yield
        except RateLimited as error:
            self._snooze(error.after_seconds, str(error))
        except Unauthorised as error:
            with self._saving() as connection:
                tasks.refuse(connection, self._job.id, str(error))
            raise lh.Dead(str(error)) from error
        except SourceFailed as error:
            self._fail(error)
        except SyncError as error:
            raise lh.Dead(str(error)) from error
        except refusals() as error:
            # Only its kind: PostgreSQL names the values that it refuses.
            raise lh.Dead(f"refused: the database answered {type(error).__name__}") from None

    def _fail(self, error: SourceFailed) -> NoReturn:
        if self._limits.is_short:
            self._job.check()  # the page had less time than others have: no failure
        if isinstance(error, ScanLost):
            self._start_over()
        if not error.may_retry:
            raise lh.Dead(str(error)) from error
        raise error

    def _start_over(self) -> None:
        """The cursor is void: the next attempt begins at the start, and counts anew."""
        fresh = self._begin_scan()
        with self._saving() as connection:
            self._scan = fresh
            seen.forget(connection, self._job.id)
            tasks.start_over(connection, self._job.id)

    def _snooze(self, seconds: float, reason: str) -> NoReturn:
        """Let the whole app rest, and be seen to."""
        until = datetime.now(UTC) + timedelta(seconds=seconds)
        with self._saving() as connection:
            tasks.snooze(connection, self._job.id, reason, until)
        self._job.pause_throttle(seconds, reason=reason[:200])
        raise lh.Snooze(seconds, reason=reason)
