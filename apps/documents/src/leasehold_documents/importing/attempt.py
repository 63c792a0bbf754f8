"""One attempt at an import: goes on where the last one was, and ends as the cloud says."""

from __future__ import annotations

import time
from collections.abc import Iterator
from contextlib import contextmanager
from datetime import UTC, datetime, timedelta
from typing import TYPE_CHECKING, Any, NamedTuple, NoReturn
from uuid import UUID

import msgspec

import leasehold as lh
from leasehold.kit.data import database_of
from leasehold_documents.access import Access, Service
from leasehold_documents.data import import_files
from leasehold_documents.data.binding import WORKER, as_login
from leasehold_documents.errors import Forbidden, Rejected
from leasehold_documents.importing.copying import Copying
from leasehold_documents.importing.listing import Listing
from leasehold_documents.importing.opening import open_provider
from leasehold_documents.importing.owning import find_connector, person_of
from leasehold_documents.importing.scanning import Scan, read_page
from leasehold_documents.importing.tokens import TokenKeeper
from leasehold_documents.providers import Provider
from leasehold_documents.providers.errors import (
    AccessRevoked,
    ListingReset,
    RateLimited,
    RemoteRefused,
)

if TYPE_CHECKING:
    from sqlalchemy import Connection

TURN_SECONDS = 600.0  # then others that wait for a slot go first
MOST_RESETS = 3
_KEPT = timedelta(days=90)


class Asked(NamedTuple):
    """What the job is to do."""

    connector_id: UUID
    remote_path: str
    files: list[str]


class Attempt:
    """Lists what there is, then fetches one file after the other, each in its own transaction."""

    def __init__(self, job: Any, provider: str, asked: Asked) -> None:
        self._job = job
        self._path = asked.remote_path
        self._files = asked.files
        self._service = Service(job.client, database_of(job.client.url))
        self._connector = find_connector(self._service, job, asked.connector_id, provider)
        self._scan: Scan = job.cursor_as(Scan) or Scan()
        self._listing = Listing(job, self._connector)
        self._gives_way_at = time.monotonic() + TURN_SECONDS
        self._has_moved = False

    def run(self) -> dict[str, Any]:
        """Import; every end but a good one is an exception."""
        keeper = TokenKeeper(self._service, self._connector)
        with self._told(keeper), open_provider(self._connector, keeper) as provider:
            access = person_of(self._service, self._job)
            while not self._scan.is_listed:
                self._list(provider)
            self._fetch_all(provider, access)
        with self._service.read() as connection:
            made = import_files.documents_of(connection, self._job.id)
        return {"imported_count": len(made), "document_ids": [str(each) for each in made]}

    # -- listing -----------------------------------------------------------------------------------
    def _list(self, provider: Provider) -> None:
        """Read one page, and write it down with the cursor of the next one."""
        self._check()
        if self._scan.place is None:
            self._begin(provider)
        try:
            page, scan = read_page(provider, self._scan, self._files)
        except ListingReset:
            self._start_over()
            return
        with self._saving() as connection:
            self._listing.keep(connection, page, self._scan.found)
            if scan.cursor is None:
                scan = self._end_of_listing(connection, provider, scan)
            self._scan = scan
        self._has_moved = True

    def _begin(self, provider: Provider) -> None:
        place = "" if self._files else provider.place(self._path)
        with self._saving() as connection:
            before = datetime.now(UTC) - _KEPT
            import_files.forget_old(connection, self._connector["id"], before)
            self._scan = msgspec.structs.replace(self._scan, place=place)

    def _end_of_listing(self, connection: Connection, provider: Provider, scan: Scan) -> Scan:
        """Go on with the next folder; when there is none, all is found."""
        if not (self._files or provider.is_recursive):
            folder = self._listing.next_folder(connection, scan.folder)
            if folder is not None:
                return msgspec.structs.replace(scan, folder=folder)
        if provider.is_whole_drive and not self._files:
            import_files.forget_outside(connection, self._job.id, scan.place or "")
        import_files.pass_present(connection, self._job.id)
        counted = import_files.counts(connection, self._connector["tenant_id"], self._job.id)
        done, total = import_files.finished(counted), sum(counted.values())
        return msgspec.structs.replace(scan, is_listed=True, done=done, total=total)

    def _start_over(self) -> None:
        """Take it that the cursor is void: what is fetched stays, the rest is listed anew."""
        resets = self._scan.resets + 1
        if resets > MOST_RESETS:
            raise ListingReset(f"it was reset {MOST_RESETS} times")
        with self._saving() as connection:
            import_files.forget_open(connection, self._job.id)
            self._scan = Scan(place=self._scan.place, found=self._scan.found, resets=resets)

    # -- fetching ----------------------------------------------------------------------------------
    def _fetch_all(self, provider: Provider, access: Access) -> None:
        """Copy one after the other; each is written down together with which one is next."""
        copying = Copying(self._service, self._job, self._connector)
        with self._saving() as connection:
            row = import_files.next_file(connection, self._job.id)
        while row is not None:
            self._check()
            outcome = copying.copy(provider, access, row)
            with self._saving() as connection:
                copying.mark(connection, row, outcome)
                self._scan = msgspec.structs.replace(self._scan, done=self._scan.done + 1)
                row = import_files.next_file(connection, self._job.id)
            self._has_moved = True

    # -- the queue's side --------------------------------------------------------------------------
    def _check(self) -> None:
        """Hand back at the end of the worker's time; give way to others after a long turn."""
        self._job.check()
        if time.monotonic() > self._gives_way_at:
            raise lh.Snooze(0, reason="others go first for a while")
        if self._has_moved and self._job.lapses:
            # Its worker died, and it has got on since: deaths that follow do not add up.
            raise lh.Snooze(0, reason="it goes on after its worker was lost")

    @contextmanager
    def _saving(self) -> Iterator[Connection]:
        """Write together with the cursor, or not at all: the job may be another's by now."""
        before = self._scan
        try:
            with self._service.write() as session:
                connection = session.connection()
                yield connection
                done, total = self._scan.done, self._scan.total or None
                with as_login(connection, WORKER):
                    self._job.checkpoint(self._scan, done=done, total=total, on=connection)
        except BaseException:
            self._scan = before
            raise

    @contextmanager
    def _told(self, keeper: TokenKeeper) -> Iterator[None]:
        """Turn what went wrong into how the attempt ends; what was imported stays."""
        try:
            yield
        except RateLimited as error:
            self._rest(error.after_seconds)
        except AccessRevoked as error:
            keeper.expire()
            raise lh.Dead(str(error)) from None
        except RemoteRefused as error:  # of the folder itself
            raise lh.Dead(str(error)) from None
        except Rejected as error:
            raise lh.Dead(str(error)) from None
        except Forbidden:
            raise lh.Cancel("who began it is no member any more") from None

    def _rest(self, seconds: float) -> NoReturn:
        """Let all imports of the connector rest."""
        self._job.pause_throttle(seconds, reason="the cloud asks to wait")
        raise lh.Snooze(seconds, reason=f"the cloud asks to wait for {seconds:g} s")
