"""The page loop, which a task and an immediate sync have in common.

fetch a page ──> keep it: objects, cursor and counts in one transaction ──> fetch the next
                                                                └── none: finish what was read
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import TYPE_CHECKING, Protocol

from leasehold_sync import apps
from leasehold_sync.connectors import Http, connector_named
from leasehold_sync.connectors.errors import CursorStuck
from leasehold_sync.data import states
from leasehold_sync.model.scans import Scan

if TYPE_CHECKING:
    from collections.abc import Callable

    import leasehold as lh
    from leasehold.kit.data import Database
    from leasehold_sync.connectors import Connector
    from leasehold_sync.model.apps import App
    from leasehold_sync.model.pages import Config, Page, Resource


class Keeper(Protocol):
    """Where pages go, and who says whether there is time for another one."""

    def check(self) -> None:
        """Raise what ends the reading here, if anything does; the page before is kept."""

    def keep(self, page: Page, scan: Scan) -> Scan:
        """Write the page and how far the scan is behind it, together or not at all."""

    def rest(self, seconds: float) -> None:
        """Do as the source asks before the next page."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Source:
    """A resource of an app, open to be read."""

    app: App
    resource: Resource
    connector: Connector
    config: Config

    def read(self, scan: Scan, keeper: Keeper) -> Scan:
        """Read to the end, or until the keeper says no."""
        while not scan.is_read:
            keeper.check()
            page = self.fetch(scan)
            scan = keeper.keep(page, scan.after(page))
            if page.rest_seconds and not scan.is_read:
                keeper.rest(page.rest_seconds)
        return scan

    def fetch(self, scan: Scan) -> Page:
        """Read the next page; `CursorStuck` when the source leads back to where we were."""
        name = self.resource.name
        page = self.connector.page(self.config, name, scan.cursor, scan.since, scan.until)
        if scan.is_circling(page):
            raise CursorStuck(f"page {scan.pages + 1} of {name} leads back to an earlier one")
        return page


@contextmanager
def open_source(
    client: lh.Client, app: App, resource: str, time_left: Callable[[], float]
) -> Iterator[Source]:
    """Get ready to read; the credential is looked up here and now, and nowhere kept."""
    known = apps.resources_of(app)[resource]
    config = apps.config_of(client, app)
    with Http(time_left=time_left) as http:
        connector = connector_named(app.connector)(http)
        connector.validate(config)
        yield Source(app=app, resource=known, connector=connector, config=config)


def begin_scan(database: Database, app_key: str, resource: str, mode: str) -> Scan:
    """Begin at the start: of the changes since the last sync, or of everything if there is none."""
    since = None
    if mode == "incremental":
        with database.read() as connection:
            since = states.get(connection, app_key, resource)
    return Scan(started_at=datetime.now(UTC), since=since)
