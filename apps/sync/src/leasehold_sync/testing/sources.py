"""A source that tests can change while it is read."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from datetime import datetime

from leasehold_sync.connectors import Connector, Http
from leasehold_sync.model.pages import Config, Item, Page
from leasehold_sync.servers.controls import Controls

MOST_PAGES = 10_000


@dataclass(frozen=True, slots=True, kw_only=True)
class Source:
    """One resource of a server, and the connector that reads it."""

    connector: type[Connector]
    config: Config
    server: Controls
    resource: str
    #: What the server calls it, if it has another name for it.
    collection: str = ""

    @property
    def rows(self) -> str:
        return self.collection or self.resource

    def page(
        self, cursor: str | None = None, since: datetime | None = None, http: Http | None = None
    ) -> Page:
        """Read one page as a process would that knows nothing but the cursor."""
        with http or Http() as opened:
            return self.connector(opened).page(self.config, self.resource, cursor, since, None)

    def scan(
        self,
        since: datetime | None = None,
        between: Callable[[int, Page], object] = lambda _number, _page: None,
    ) -> Iterator[Page]:
        """Read to the end, each page by itself; `between` is called before each next one."""
        cursor: str | None = None
        for number in range(1, MOST_PAGES):
            page = self.page(cursor, since)
            yield page
            if page.next_cursor is None:
                return
            assert page.next_cursor != cursor, "the scan does not get on"
            cursor = page.next_cursor
            between(number, page)
        raise AssertionError(f"a scan of more than {MOST_PAGES:,} pages")

    def ids(self) -> list[str]:
        return self.server.ids(self.rows)


def items_in(pages: list[Page]) -> list[Item]:
    return [item for page in pages for item in page.items]


def names_in(pages: list[Page]) -> set[str]:
    return {item.external_id for item in items_in(pages)}
