"""What every connector keeps: one page of one resource per call, and nothing remembered.

    with Http(time_left=budget.left) as http:
        connector = connector_named("stripe")(http)
        page = connector.page(config, "customers", None, None, None)

All that a scan needs to go on stands in its cursor, so any process can take it up at any time.
"""

from __future__ import annotations

from datetime import datetime
from typing import ClassVar, Protocol

from leasehold_sync.connectors.http import Http
from leasehold_sync.model.pages import Config, Page, Resource


class Connector(Protocol):
    """Reads one kind of source. It does I/O for one page and knows no loop, clock or database."""

    name: ClassVar[str]
    #: The version of the API that is asked for, and that payloads are written in.
    version: ClassVar[str]
    resources: ClassVar[tuple[Resource, ...]]

    def __init__(self, http: Http) -> None: ...

    def validate(self, config: Config) -> None:
        """Raise `BadConfig` if the app can't be read with what it says. No network."""
        ...

    def page(
        self,
        config: Config,
        resource: str,
        cursor: str | None,
        since: datetime | None,
        until: datetime | None,
    ) -> Page:
        """Read one page; without a cursor the first one.

        Without `since` the scan is a full one: all that was made since `config.sync_from`. With it,
        at least all that has changed from then `until` a moment (None: now). A connector that can't
        tell changes reads everything and says so: its last page is `complete`.

        Raises `SourceFailed` and its kinds, and nothing else.
        """
        ...
