"""Intercom: searches by whole days, and a scroll that dies, restarts and never goes back."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from datetime import UTC, datetime, timedelta

import pytest

import leasehold as lh
from leasehold_sync.connectors import Http
from leasehold_sync.connectors.errors import RateLimited, ScanLost, SourceUnavailable
from leasehold_sync.connectors.intercom import MOST_RESTARTS, IntercomConnector
from leasehold_sync.connectors.refusing import LONGEST_REST_SECONDS
from leasehold_sync.model.pages import Config, Page
from leasehold_sync.servers import IntercomServer
from leasehold_sync.testing import ConnectorConformance, Source
from leasehold_sync.testing.conformance import refused
from leasehold_sync.testing.sources import names_in

SCROLL = "/companies/scroll"
DAY_SECONDS = 86_400


@contextmanager
def opened(resource: str, *, spacing: int = 10, **rows: int) -> Iterator[Source]:
    with IntercomServer(rows=rows, spacing=spacing) as desk:
        config = Config(app_key="desk", credential=lh.Secret(desk.key), base_url=desk.url)
        yield Source(connector=IntercomConnector, config=config, server=desk, resource=resource)


class TestContacts(ConnectorConformance):
    @contextmanager
    def opened(self, rows: int) -> Iterator[Source]:
        with opened("contacts", contacts=rows) as source:
            yield source


class TestConversations(ConnectorConformance):
    @contextmanager
    def opened(self, rows: int) -> Iterator[Source]:
        with opened("conversations", conversations=rows) as source:
            yield source


def scrolled(source: Source, before: Callable[[int], object] = lambda _number: None) -> list[Page]:
    """Read companies as one worker does; `before` is called before each page."""
    pages: list[Page] = []
    with Http() as http:
        connector = IntercomConnector(http)
        cursor: str | None = None
        while not pages or cursor is not None:
            before(len(pages))
            pages.append(connector.page(source.config, source.resource, cursor, None, None))
            assert len(pages) < 1_000
            cursor = pages[-1].next_cursor
    return pages


def test_a_scroll_sees_all_companies_and_says_so() -> None:
    with opened("companies", companies=350) as source:
        pages = scrolled(source)
        assert names_in(pages) == set(source.ids())
        assert [len(page.items) for page in pages] == [100, 100, 100, 50, 0]
        assert [page.complete for page in pages] == [False] * 4 + [True]


def test_a_scroll_that_dies_of_waiting_begins_anew_and_misses_nothing() -> None:
    with opened("companies", companies=350) as source:
        pages = scrolled(source, lambda n: source.server.advance(61) if n == 2 else None)
        assert names_in(pages) == set(source.ids())
        assert [len(page.items) for page in pages] == [100, 100, 100, 100, 100, 50, 0]
        assert pages[-1].complete


def test_a_scroll_that_breaks_waits_until_it_is_gone_and_begins_anew() -> None:
    with opened("companies", companies=350) as source, Http() as http:
        connector = IntercomConnector(http)
        first = connector.page(source.config, "companies", None, None, None)
        source.server.fail("scroll_lost", path=SCROLL)
        with pytest.raises(RateLimited) as limited:
            connector.page(source.config, "companies", first.next_cursor, None, None)
        assert limited.value.after_seconds == 60
        source.server.advance(61)
        pages = list(_from(source, first.next_cursor))
        assert names_in(pages) == set(source.ids())


def _from(source: Source, cursor: str | None) -> Iterator[Page]:
    with Http() as http:
        connector = IntercomConnector(http)
        while cursor is not None:
            page = connector.page(source.config, source.resource, cursor, None, None)
            yield page
            cursor = page.next_cursor


def test_a_scroll_that_never_lives_long_enough_is_given_up() -> None:
    with opened("companies", companies=350) as source, pytest.raises(ScanLost):
        scrolled(source, lambda _number: source.server.advance(61))
    assert MOST_RESTARTS < 10


def test_where_another_scroll_is_open_ours_waits() -> None:
    with opened("companies", companies=350) as source:
        source.page()
        error = refused(source, RateLimited)
        assert isinstance(error, RateLimited)
        assert error.after_seconds == 60


def test_an_answer_that_was_lost_hides_no_companies() -> None:
    """The scroll has gone on, and nobody has seen that page: a second pass sees it."""
    with opened("companies", companies=350) as source, Http() as http:
        connector = IntercomConnector(http)
        first = connector.page(source.config, "companies", None, None, None)
        source.server.fail("hangup", path=SCROLL)
        with pytest.raises(SourceUnavailable):
            connector.page(source.config, "companies", first.next_cursor, None, None)
        pages = [first, *_from(source, first.next_cursor)]
        assert names_in(pages) == set(source.ids())
        assert pages[-1].complete, "the second pass was seen by one process from end to end"


def test_a_worker_that_is_killed_with_a_page_in_its_hands_loses_no_companies() -> None:
    with opened("companies", companies=350) as source:
        first = source.page()
        source.page(first.next_cursor)  # read, and never written down
        pages = [first, *_from(source, first.next_cursor)]
        assert names_in(pages) == set(source.ids())
        assert pages[-1].complete


def test_when_no_pass_is_beyond_doubt_nothing_is_concluded() -> None:
    with opened("companies", companies=350) as source:
        pages = list(source.scan())  # another process for each page
        assert names_in(pages) == set(source.ids())
        assert not pages[-1].complete


def test_contacts_are_searched_from_the_day_before_whatever_the_time_zone() -> None:
    with opened("contacts", contacts=20) as source:
        changed = source.ids()[7]
        source.server.update("contacts", changed, name="New")
        for hours in (0, 1, 11, 23):
            since = datetime.now(UTC) - timedelta(hours=hours, minutes=1)
            assert changed in names_in(list(source.scan(since)))


def test_a_merged_contact_is_gone_from_a_complete_scan() -> None:
    with opened("contacts", contacts=20) as source:
        merged = source.ids()[3]
        source.server.delete("contacts", merged)
        pages = list(source.scan())
        assert merged not in names_in(pages)
        assert pages[-1].complete


def test_a_window_that_is_used_up_asks_for_rest_before_it_is_refused() -> None:
    with opened("contacts", contacts=400) as source:
        source.server.limit(2, DAY_SECONDS)  # long: a test must not meet its end by chance
        first = source.page()
        second = source.page(first.next_cursor)
        assert first.rest_seconds == 0
        assert 0 < second.rest_seconds <= LONGEST_REST_SECONDS
        error = refused(source, RateLimited, second.next_cursor)
        assert isinstance(error, RateLimited)
        assert 0 < error.after_seconds <= LONGEST_REST_SECONDS
        source.server.advance(DAY_SECONDS)
        assert source.page(second.next_cursor).complete


@pytest.mark.parametrize("resource", ["admins", "tags", "teams"])
def test_plain_lists_are_read_whole(resource: str) -> None:
    with opened(resource, **{resource: 7}) as source:
        (page,) = source.scan(datetime.now(UTC))
        assert names_in([page]) == set(source.ids())
        assert page.complete
