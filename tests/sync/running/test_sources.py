"""Each source's own traps, synced whole: all rows are there, and nothing is deleted wrongly."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest

import leasehold as lh
from leasehold.kit.data import Database
from leasehold.kit.servers.wire import Request
from leasehold_sync.model.apps import App
from leasehold_sync.servers import IntercomServer, LocalServer, NotionServer, StripeServer
from leasehold_sync.servers.notion import server as notion
from tests.sync.connectors.positions import PositionServer
from tests.sync.kit import counts, kept, look, sync, work

MakeApp = Callable[..., App]


def at_request(server: LocalServer, number: int, act: Callable[[], Any]) -> None:
    """Let something happen when the server gets its next but so many-th request."""
    waiting = iter(range(1, number + 1))

    def look(_request: Request) -> None:
        if next(waiting, None) == number:
            act()

    server.on_request = look


def test_all_rows_beyond_the_cap_of_a_query_are_synced(
    queue: lh.Client, database: Database, make_app: MakeApp, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(notion, "MOST_RESULTS", 400)
    with NotionServer(rows={"pages": 1_000, "data_sources": 1}) as wiki:
        make_app(wiki, connector="notion", resources=("pages",))
        assert counts(sync(queue), "pages") == (1_000, 0, 0, 0)
        wiki.delete("pages", *wiki.ids("pages")[100:110])
        assert counts(sync(queue), "pages") == (0, 0, 990, 10)
        assert kept(database, collections=("pages",)) == sorted(wiki.ids("pages"))


def test_when_a_source_shows_less_than_it_has_nothing_is_deleted(
    queue: lh.Client, database: Database, make_app: MakeApp, monkeypatch: pytest.MonkeyPatch
) -> None:
    with NotionServer(rows={"pages": 600, "data_sources": 1}, spacing=0) as wiki:
        make_app(wiki, connector="notion", resources=("pages",))
        sync(queue)
        monkeypatch.setattr(notion, "MOST_RESULTS", 400)
        job = sync(queue)
        assert counts(job, "pages") == (0, 0, 400, 0)
        assert job["tasks"][0]["note"]
        assert len(kept(database, collections=("pages",))) == 600


def test_a_scroll_that_dies_midway_restarts_and_deletes_only_what_is_gone(
    queue: lh.Client, database: Database, make_app: MakeApp
) -> None:
    with IntercomServer(rows={"companies": 450}) as desk:
        make_app(desk, connector="intercom", resources=("companies",))
        assert counts(sync(queue), "companies") == (450, 0, 0, 0)
        desk.delete("companies", desk.ids("companies")[200])
        at_request(desk, 3, lambda: desk.advance(61))
        job = sync(queue)
        assert job["status"] == "completed"
        assert counts(job, "companies") == (0, 0, 449, 1)
        assert kept(database, collections=("companies",)) == sorted(desk.ids("companies"))


def test_a_page_of_a_scroll_that_got_lost_deletes_nothing(
    queue: lh.Client, database: Database, make_app: MakeApp
) -> None:
    with IntercomServer(rows={"companies": 450}) as desk:
        make_app(desk, connector="intercom", resources=("companies",))
        sync(queue)
        at_request(desk, 2, lambda: desk.fail("hangup", path="/companies/scroll"))
        job = sync(queue)
        assert job["status"] == "processing", "it failed once and will try again"
        queue.store.skew_seconds = 40
        work(queue)
        assert counts(look(queue, job["id"]), "companies")[3] == 0
        assert kept(database, collections=("companies",)) == sorted(desk.ids("companies"))


def test_a_merged_contact_goes_with_the_next_full_sync(
    queue: lh.Client, database: Database, make_app: MakeApp
) -> None:
    with IntercomServer(rows={"contacts": 40}) as desk:
        make_app(desk, connector="intercom", resources=("contacts",))
        sync(queue)
        desk.delete("contacts", desk.ids("contacts")[7])
        assert counts(sync(queue, mode="incremental"), "contacts")[3] == 0
        assert counts(sync(queue), "contacts") == (0, 0, 39, 1)
        assert kept(database, collections=("contacts",)) == sorted(desk.ids("contacts"))


def test_a_scan_whose_cursor_is_deleted_goes_on(
    queue: lh.Client, database: Database, make_app: MakeApp, stripe: StripeServer
) -> None:
    make_app(stripe)
    newest_first = stripe.ids("customers")[::-1]
    at_request(stripe, 2, lambda: stripe.delete("customers", newest_first[99]))
    job = sync(queue)
    assert counts(job) == (250, 0, 0, 0), "it was there when it was read"
    assert counts(sync(queue)) == (0, 0, 249, 1)
    assert kept(database) == sorted(stripe.ids("customers"))


def test_lines_of_invoices_are_rows_of_their_own_and_go_with_them(
    queue: lh.Client, database: Database, make_app: MakeApp
) -> None:
    with StripeServer(rows={"invoices": 20}) as shop:
        make_app(shop, resources=("invoices",))
        sync(queue)
        assert len(kept(database, collections=("invoice_lines",))) == 2 * 25 + 18 * 2
        shop.delete("invoices", shop.ids("invoices")[9])  # one with 25 lines
        sync(queue)
        assert len(kept(database, collections=("invoice_lines",))) == 25 + 18 * 2


@pytest.mark.parametrize("connector", ["offset", "numbered"])
def test_a_list_by_position_that_shifts_loses_and_deletes_no_living_row(
    queue: lh.Client, database: Database, make_app: MakeApp, connector: str
) -> None:
    with PositionServer(rows={"records": 350}) as service:
        make_app(service, connector=connector, resources=("records",))
        assert counts(sync(queue), "records") == (350, 0, 0, 0)
        newest_first = service.ids("records")[::-1]
        at_request(service, 2, lambda: service.delete("records", *newest_first[:3]))
        sync(queue)
        assert counts(sync(queue), "records") == (0, 0, 347, 3)
        assert kept(database, collections=("records",)) == sorted(service.ids("records"))
