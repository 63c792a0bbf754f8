"""Notion: data sources one after the other, and queries that end at 10,000 rows."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from datetime import UTC, datetime, timedelta

import pytest

import leasehold as lh
from leasehold_sync.connectors.errors import RateLimited, SourceUnavailable
from leasehold_sync.connectors.notion import NotionConnector
from leasehold_sync.model.pages import Config, Page
from leasehold_sync.servers import NotionServer
from leasehold_sync.servers.notion import server
from leasehold_sync.testing import ConnectorConformance, Source
from leasehold_sync.testing.conformance import refused
from leasehold_sync.testing.sources import items_in, names_in


@contextmanager
def opened(resource: str = "pages", *, spacing: int = 10, **rows: int) -> Iterator[Source]:
    with NotionServer(rows=rows, spacing=spacing) as wiki:
        config = Config(app_key="wiki", credential=lh.Secret(wiki.key), base_url=wiki.url)
        yield Source(connector=NotionConnector, config=config, server=wiki, resource=resource)


class TestPages(ConnectorConformance):
    @contextmanager
    def opened(self, rows: int) -> Iterator[Source]:
        with opened(pages=rows) as source:
            yield source


def test_all_25_000_rows_are_read_although_a_query_ends_at_10_000() -> None:
    with opened(pages=25_000, data_sources=1) as source:
        pages = list(source.scan())
        assert names_in(pages) == set(source.ids())
        assert pages[-1].complete
        assert not any(page.capped for page in pages)
        twice = sum(len(page.items) for page in pages) - 25_000
        assert twice < 100, "only the minute where a query ended is read again"


def test_pages_of_all_data_sources_are_read_however_many_there_are() -> None:
    with opened(pages=400, data_sources=60) as source:
        pages = list(source.scan())
        assert names_in(pages) == set(source.ids())
        assert pages[-1].complete


def test_a_minute_with_more_rows_than_a_query_shows_is_said_and_passed(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(server, "MOST_RESULTS", 1_000)
    with opened(pages=1_300, data_sources=1, spacing=0) as source:
        later = source.server.insert("pages", 20)
        pages = list(source.scan())
        assert set(later) <= names_in(pages)
        assert len(names_in(pages)) >= 1_000
        assert pages[-1].capped
        assert not pages[-1].complete


def test_a_scan_whose_cursor_is_gone_takes_up_at_the_last_minute() -> None:
    with opened(pages=450, data_sources=1) as source:

        def forget(_number: int, page: Page) -> None:
            if page.items:
                source.server.fail(400, path="/v1/data_sources")

        pages = list(source.scan(between=forget))
        assert names_in(pages) == set(source.ids())
        assert pages[-1].complete


def test_nothing_is_concluded_when_a_data_source_goes_away_meanwhile() -> None:
    with opened(pages=300, data_sources=3) as source:
        sources = source.server.ids("data_sources")

        def delete(number: int, _page: Page) -> None:
            if number == 1:
                source.server.delete("data_sources", sources[-1])

        pages = list(source.scan(between=delete))
        assert len(names_in(pages)) >= 200
        assert not pages[-1].complete
        assert list(source.scan())[-1].complete


def test_changes_are_asked_for_from_the_minute_on_and_over_the_cap(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(server, "MOST_RESULTS", 1_000)
    with opened(pages=1_500, data_sources=1) as source:
        changed = source.ids()[::200]
        for name in changed:
            source.server.update("pages", name, name="Changed")
        pages = list(source.scan(datetime.now(UTC) - timedelta(minutes=2)))
        assert names_in(pages) == set(changed)
        assert not pages[-1].complete
        everything = list(source.scan(datetime(2024, 1, 1, tzinfo=UTC)))
        assert names_in(everything) == set(source.ids())
        assert not everything[-1].complete


def test_changes_are_asked_for_from_a_whole_minute_since_notion_knows_no_seconds() -> None:
    with opened(pages=3, data_sources=1) as source:
        list(source.scan(datetime(2026, 11, 16, 7, 30, 59, tzinfo=UTC)))
        asked = source.server.seen()[-1].body
        assert b'"last_edited_time":{"on_or_after":"2026-11-16T07:30:00.000Z"}' in asked


@pytest.mark.parametrize(("resource", "count"), [("users", 230), ("data_sources", 130)])
def test_plain_lists_are_read_whole_each_time(resource: str, count: int) -> None:
    with opened(resource, **{resource: count}) as source:
        for since in (None, datetime.now(UTC)):
            pages = list(source.scan(since))
            assert names_in(pages) == set(source.ids())
            assert len(items_in(pages)) == count
            assert pages[-1].complete


def test_a_collision_over_there_may_be_tried_again() -> None:
    with opened(pages=1) as source:
        source.server.fail(409)
        assert refused(source, SourceUnavailable).may_retry


def test_529_asks_for_patience_as_429_does() -> None:
    with opened(pages=1) as source:
        source.server.fail(529, retry_after=11)
        error = refused(source, RateLimited)
        assert isinstance(error, RateLimited)
        assert error.after_seconds == 11
