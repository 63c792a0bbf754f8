"""Lists by position: rows that move up are not passed over, or nothing is concluded."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import AbstractContextManager, contextmanager

import pytest

import leasehold as lh
from leasehold_sync.connectors import Connector
from leasehold_sync.connectors.windows import NumberedConnector, OffsetConnector
from leasehold_sync.model.pages import Config, Page
from leasehold_sync.testing import ConnectorConformance, Source
from leasehold_sync.testing.sources import names_in
from tests.sync.connectors.positions import PositionServer


@contextmanager
def _opened(connector: type[Connector], rows: int) -> Iterator[Source]:
    with PositionServer(rows={"records": rows}) as server:
        config = Config(app_key="positions", credential=lh.Secret(server.key), base_url=server.url)
        yield Source(connector=connector, config=config, server=server, resource="records")


class TestOffset(ConnectorConformance):
    tells_changes = False

    def opened(self, rows: int) -> AbstractContextManager[Source]:
        return _opened(OffsetConnector, rows)


class TestNumbered(ConnectorConformance):
    tells_changes = False

    def opened(self, rows: int) -> AbstractContextManager[Source]:
        return _opened(NumberedConnector, rows)


@pytest.mark.parametrize("connector", [OffsetConnector, NumberedConnector])
def test_a_few_deletions_before_the_next_page_leave_the_scan_complete(
    connector: type[Connector],
) -> None:
    with _opened(connector, 1_000) as source:
        before = set(source.ids())

        def delete_two(_number: int, page: Page) -> None:
            source.server.delete("records", *(item.external_id for item in page.items[:2]))

        pages = list(source.scan(between=delete_two))
        assert set(source.ids()) <= names_in(pages) <= before
        assert pages[-1].complete


@pytest.mark.parametrize("connector", [OffsetConnector, NumberedConnector])
def test_when_a_whole_stretch_is_deleted_nothing_is_concluded(
    connector: type[Connector],
) -> None:
    with _opened(connector, 1_000) as source:
        seen: set[str] = set()

        def delete_all_seen(number: int, page: Page) -> None:
            seen.update(item.external_id for item in page.items)
            if number == 3:
                source.server.delete("records", *seen)

        pages = list(source.scan(between=delete_all_seen))
        assert not set(source.ids()) <= names_in(pages), "rows have moved up past the scan"
        assert not pages[-1].complete
        assert list(source.scan())[-1].complete


def test_numbered_pages_meet_well_enough_to_cost_little_more_than_pages_side_by_side() -> None:
    with _opened(NumberedConnector, 10_000) as source:
        pages = list(source.scan())
        assert names_in(pages) == set(source.ids())
        assert 100 < len(pages) < 130
