"""A sync inside a request: the same pages and rows, but no job, and no cursor to resume."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import asdict, dataclass, replace
from datetime import UTC, datetime
from typing import TYPE_CHECKING, Any
from uuid import UUID

from leasehold_sync import apps
from leasehold_sync.connectors.errors import RateLimited
from leasehold_sync.data import entities, runs, seen
from leasehold_sync.errors import AppBusy, SyncError
from leasehold_sync.model.counts import Counts
from leasehold_sync.running.finishing import finish
from leasehold_sync.running.limits import Limits
from leasehold_sync.running.reading import Source, begin_scan, open_source

if TYPE_CHECKING:
    from sqlalchemy import Connection

    import leasehold as lh
    from leasehold.kit.data import Database
    from leasehold_sync.model.apps import App
    from leasehold_sync.model.pages import Page
    from leasehold_sync.model.scans import Scan

LEAST_SECONDS = 5.0  # between the end of the budget and the limit, for the page under way
_LOOK_SECONDS = 0.1


class OutOfTime(Exception):
    """There is more to read than there is time for."""


class DryRun(Exception):
    """Nothing was to be written."""


def run_now(
    client: lh.Client,
    database: Database,
    app_key: str,
    *,
    mode: str = "incremental",
    resource_types: Sequence[str] | None = None,
    force: bool = False,
    budget_seconds: float = 45.0,
    is_stopping: Callable[[], bool] = lambda: False,
    dry_run: bool = False,
) -> dict[str, Any]:
    """Sync here and now: `{status, results, has_more}`, with a result for each resource.

    What was read when the time is over stays; a job of this app that runs is `AppBusy`. A dry run
    reads and compares, and writes nothing.
    """
    app = apps.get(database, app_key)
    wanted = apps.choose(app, resource_types)
    with database.browse() as connection:
        active = runs.active(connection, app_key)
    if active is not None:
        raise AppBusy(app_key, active)
    (run_id,) = client.ids.take(1)
    clock = Clock(budget_seconds, is_stopping)
    request = Request(client, database, app, mode, run_id, clock, force=force, is_dry=dry_run)
    results = [_Immediate(request, name).run() for name in wanted]
    has_more = any(each["status"] == "pending" for each in results)
    has_failed = any(each["status"] == "failed" for each in results)
    status = "failed" if has_failed else "processing" if has_more else "completed"
    return {"status": status, "results": results, "has_more": has_more}


class Clock:
    """The time of one request."""

    def __init__(self, budget_seconds: float, is_stopping: Callable[[], bool]) -> None:
        self._ends_at = time.monotonic() + budget_seconds
        self.is_stopping = is_stopping
        self.limits = Limits(budget_seconds + LEAST_SECONDS)

    def check(self) -> None:
        if self.is_stopping() or time.monotonic() >= self._ends_at:
            raise OutOfTime

    def wait(self, seconds: float) -> None:
        """Wait, if there is time for it."""
        awake_at = time.monotonic() + seconds
        if awake_at >= self._ends_at:
            raise OutOfTime
        while time.monotonic() < awake_at:
            self.check()
            time.sleep(min(_LOOK_SECONDS, seconds))


@dataclass(frozen=True, slots=True)
class Request:
    """What was asked for, and what it takes."""

    client: lh.Client
    database: Database
    app: App
    mode: str
    run_id: UUID
    clock: Clock
    force: bool
    is_dry: bool


class _Immediate:
    """One resource, read in this thread."""

    def __init__(self, request: Request, resource: str) -> None:
        self._request = request
        self._database = request.database
        self._resource = resource
        (self._scan_id,) = request.client.ids.take(1)
        self._scan = begin_scan(request.database, request.app.app_key, resource, request.mode)
        self._counts = Counts()
        self._note: str | None = None

    def run(self) -> dict[str, Any]:
        """Read it; returns what it came to, well or not."""
        status, error = "completed", None
        try:
            self._read()
        except (OutOfTime, RateLimited) as cut:
            status, error = "pending", str(cut) or "there was no time for more"
        except SyncError as failed:
            status, error = "failed", str(failed)
        finally:
            with self._database.write() as connection:
                seen.forget(connection, self._scan_id)
        return {
            "resource_type": self._resource,
            "status": status,
            "entity_count": self._counts.entities,
            **asdict(self._counts),
            "started_at": self._scan.started_at,
            "completed_at": datetime.now(UTC) if status != "pending" else None,
            "error_message": error,
            "note": self._note,
        }

    def _read(self) -> None:
        request = self._request
        request.clock.check()
        time_left = request.clock.limits.page_seconds
        with open_source(request.client, request.app, self._resource, time_left) as source:
            self._finish(source, self._read_patiently(source))

    def _read_patiently(self, source: Source) -> Scan:
        while True:
            try:
                return source.read(self._scan, self)
            except RateLimited as error:
                self._request.clock.wait(error.after_seconds)

    # -- what a Keeper does ------------------------------------------------------------------------
    def check(self) -> None:
        self._request.clock.check()

    def keep(self, page: Page, scan: Scan) -> Scan:
        now = datetime.now(UTC)
        request = self._request
        run = entities.Run(request.app.app_key, str(request.run_id), scan.since is None, now)
        with self._database.turn() as turn:
            items = (*page.items, *page.children)
            found = entities.compare(turn.bulk, run, items, page.version)
            marks = [*found.unchanged, *(found.changed if request.is_dry else ())]
            with turn.write() as connection:
                bulk = self._database.bulk(connection)
                if not request.is_dry:
                    entities.write(bulk, found.rows)
                seen.mark(bulk, self._scan_id, scan.pages, marks, now)
        self._counts += found.counts + Counts(nameless=page.nameless)
        self._scan = scan.counting(found.counts)
        return self._scan

    def rest(self, seconds: float) -> None:
        self._request.clock.wait(seconds)

    def _finish(self, source: Source, scan: Scan) -> None:
        request = self._request
        ids = {"scan_id": self._scan_id, "run_id": request.run_id}
        with self._writing() as connection:
            ended = finish(connection, source, scan, **ids, force=request.force)
        self._note = ended.note
        unchanged = self._counts.unchanged if request.is_dry else ended.unchanged
        deleted = self._counts.deleted + ended.deleted
        self._counts = replace(self._counts, unchanged=unchanged, deleted=deleted)

    @contextmanager
    def _writing(self) -> Iterator[Connection]:
        """Write, or pretend to."""
        try:
            with self._database.write() as connection:
                yield connection
                if self._request.is_dry:
                    raise DryRun
        except DryRun:
            pass
