"""Stripe: cursors that are objects, lists in objects, events."""

from __future__ import annotations

import dataclasses
from collections import Counter
from collections.abc import Iterator
from contextlib import contextmanager
from datetime import UTC, datetime, timedelta

import pytest

import leasehold as lh
from leasehold_sync.connectors.errors import RequestRefused, SourceUnavailable
from leasehold_sync.connectors.stripe import StripeConnector
from leasehold_sync.model.pages import Config, Page
from leasehold_sync.servers.stripe import StripeServer, objects, server
from leasehold_sync.testing import ConnectorConformance, Source
from leasehold_sync.testing.conformance import refused
from leasehold_sync.testing.sources import names_in


@contextmanager
def opened(resource: str = "customers", *, spacing: int = 10, **rows: int) -> Iterator[Source]:
    with StripeServer(rows=rows, spacing=spacing) as shop:
        config = Config(app_key="shop", credential=lh.Secret(shop.key), base_url=shop.url)
        yield Source(connector=StripeConnector, config=config, server=shop, resource=resource)


class TestStripe(ConnectorConformance):
    @contextmanager
    def opened(self, rows: int) -> Iterator[Source]:
        with opened(customers=rows) as source:
            yield source


def test_when_the_cursor_is_deleted_the_scan_takes_up_where_it_was_made() -> None:
    with opened(customers=450) as source:
        first = source.page()
        source.server.delete("customers", first.items[-1].external_id)
        second = source.page(first.next_cursor)
        third = source.page(second.next_cursor)
        asked = [seen.query for seen in source.server.seen()]
        assert asked[-2]["created[lte]"] == str(first.items[-1].read_payload()["created"])
        assert "starting_after" in asked[-1]
        assert asked[-1]["created[lte]"] == asked[-2]["created[lte]"]
        assert not names_in([first]) & names_in([second])
        assert len(names_in([first, second, third])) == 300


def test_many_objects_of_the_same_second_do_not_hold_up_a_scan_that_lost_its_cursor() -> None:
    with opened(customers=350, spacing=0) as source:

        def delete_last(_number: int, page: Page) -> None:
            source.server.delete("customers", page.items[-1].external_id)

        pages = list(source.scan(between=lambda n, page: delete_last(n, page) if n == 2 else None))
        assert set(source.ids()) <= names_in(pages)
        assert pages[-1].complete


def test_subscriptions_that_have_ended_are_read_too() -> None:
    with opened("subscriptions", subscriptions=120) as source:
        source.server.update("subscriptions", source.ids()[5], status="canceled")
        pages = list(source.scan())
        assert names_in(pages) == set(source.ids())
        assert {seen.query["status"] for seen in source.server.seen()} == {"all"}


@pytest.fixture
def long_lists(monkeypatch: pytest.MonkeyPatch) -> None:
    """Let some invoices have more lines than a page."""
    for module in (objects, server):
        monkeypatch.setattr(module, "line_count_of", lambda number: 250 if number % 10 == 0 else 2)


@pytest.mark.usefixtures("long_lists")
def test_lists_inside_of_objects_are_read_to_their_own_end_a_page_at_a_time() -> None:
    with opened("invoices", invoices=30) as source:
        pages = list(source.scan())
        lines = [child for page in pages for child in page.children]
        of_invoices = Counter(line.parent_id for line in lines)
        assert {line.collection for line in lines} == {"invoice_lines"}
        assert len({line.external_id for line in lines}) == len(lines) == 3 * 250 + 27 * 2
        assert set(of_invoices) == set(source.ids())
        assert [len(page.children) for page in pages[1:]] == [100, 100, 40] * 3
        assert [page.complete for page in pages] == [False] * 9 + [True]


@pytest.mark.usefixtures("long_lists")
def test_an_invoice_that_is_deleted_meanwhile_takes_its_lines_along() -> None:
    with opened("invoices", invoices=30) as source:
        doomed = source.ids()[19]
        pages = list(
            source.scan(
                between=lambda n, _: source.server.delete("invoices", doomed) if n == 1 else None
            )
        )
        assert pages[-1].complete
        assert len(pages) == 1 + 3 + 1 + 3


def test_events_tell_changes_and_deletions_newest_first() -> None:
    with opened(customers=10) as source:
        since = datetime.now(UTC) - timedelta(minutes=5)
        changed, gone = source.ids()[3], source.ids()[4]
        for name in ("First", "Second", "Third"):
            source.server.update("customers", changed, name=name)
        source.server.delete("customers", gone)
        (page,) = source.scan(since)
        by_name = {item.external_id: item for item in page.items}
        assert by_name[changed].read_payload()["name"] == "Third"
        assert not by_name[changed].is_deleted
        assert by_name[gone].is_deleted
        assert not page.complete


def test_an_ended_subscription_is_changed_and_not_gone() -> None:
    with opened("subscriptions", subscriptions=3) as source:
        since = datetime.now(UTC) - timedelta(minutes=5)
        source.server.delete("subscriptions", source.ids()[0])
        (page,) = source.scan(since)
        assert [item.is_deleted for item in page.items] == [False]


def test_changes_of_more_than_thirty_days_are_found_by_reading_everything() -> None:
    with opened(customers=150) as source:
        pages = list(source.scan(datetime.now(UTC) - timedelta(days=40)))
        assert names_in(pages) == set(source.ids())
        assert pages[-1].complete
        assert source.server.count("GET /v1/events") == 0


@pytest.mark.parametrize("status", [400, 403, 404])
def test_where_events_are_refused_everything_is_read(status: int) -> None:
    with opened(customers=150) as source:
        source.server.fail(status, path="/v1/events")
        pages = list(source.scan(datetime.now(UTC) - timedelta(days=1)))
        assert names_in(pages) == set(source.ids())
        assert pages[-1].complete


def test_stripes_own_word_on_trying_again_counts() -> None:
    with opened(customers=1) as source:
        source.server.fail(500)
        assert refused(source, SourceUnavailable).may_retry
        source.server.fail(409)
        assert not refused(source, SourceUnavailable).may_retry
        source.server.fail(402)
        assert not refused(source, RequestRefused).may_retry


def test_the_pinned_version_is_asked_for_and_told() -> None:
    with opened(customers=1) as source:
        page = source.page()
        assert page.version == StripeConnector.version
        assert source.server.seen()[-1].headers["stripe-version"] == StripeConnector.version


def test_a_page_that_is_shown_again_has_the_same_cursor() -> None:
    with opened(customers=350) as source:
        first = source.page()
        second = source.page(first.next_cursor)
        source.server.fail("stuck_cursor")
        assert source.page(second.next_cursor).next_cursor == second.next_cursor


def test_an_app_reaches_its_source_below_a_path() -> None:
    with opened(customers=1) as source:
        config = dataclasses.replace(source.config, base_url=source.config.base_url + "/")
        assert dataclasses.replace(source, config=config).page().items
