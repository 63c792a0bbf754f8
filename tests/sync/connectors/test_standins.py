"""Stripes that others have written are read as the real one is: nothing is special about them."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from datetime import UTC, datetime, timedelta
from types import SimpleNamespace

import pytest

import leasehold as lh
from leasehold.kit.data import Database
from leasehold_sync.connectors import Http
from leasehold_sync.connectors.errors import Unauthorised
from leasehold_sync.connectors.stripe import StripeConnector
from leasehold_sync.model.apps import App
from leasehold_sync.model.pages import Config, Page
from leasehold_sync.testing.sources import names_in
from tests.sync.kit import counts, kept, sync
from tests.sync.standins import KEY, STANDINS, Standin, ask, make_customers


@pytest.fixture(params=STANDINS, ids=lambda standin: standin.name)
def standin(request: pytest.FixtureRequest) -> Standin:
    found: Standin = request.param
    if not found.is_installed:
        pytest.skip(f"{found.name} is not installed: run python -m tests.sync.standins")
    return found


@pytest.fixture
def source(standin: Standin) -> Iterator[str]:
    """Where it is, with nothing in it."""
    with standin.running() as url:
        yield url


def scan(url: str, resource: str, since: datetime | None = None, key: str = KEY) -> list[Page]:
    config = Config(app_key="standin", credential=lh.Secret(key), base_url=url)
    pages: list[Page] = []
    cursor: str | None = None
    with Http() as http:
        connector = StripeConnector(http)
        while not pages or cursor is not None:
            pages.append(connector.page(config, resource, cursor, since, None))
            cursor = pages[-1].next_cursor
    return pages


def test_all_customers_are_read_and_the_scan_is_complete(source: str) -> None:
    made = make_customers(source, 250)
    for since in (None, datetime.now(UTC) - timedelta(hours=1)):
        pages = scan(source, "customers", since)
        assert names_in(pages) == set(made)
        assert len(pages) == 3
        assert pages[-1].complete


def test_a_sync_brings_all_of_it_and_the_next_one_changes_nothing(
    queue: lh.Client, database: Database, make_app: Callable[..., App], source: str
) -> None:
    make_app(SimpleNamespace(url=source, key=KEY))
    made = make_customers(source, 250)
    assert counts(sync(queue)) == (250, 0, 0, 0)
    assert kept(database) == sorted(made)
    assert counts(sync(queue)) == (0, 0, 250, 0)
    assert counts(sync(queue, mode="incremental")) == (0, 0, 250, 0)


def test_what_else_it_has_is_read_too(standin: Standin, source: str) -> None:
    product = ask(source, "POST", "/v1/products", {"name": "Tea", "type": "service"})
    for resource in standin.resources:
        pages = scan(source, resource)
        assert pages[-1].complete
        assert names_in(pages) == ({product} if resource == "products" else set())


def test_a_customer_that_is_deleted_is_not_seen_again(standin: Standin, source: str) -> None:
    if not standin.can_delete:
        pytest.skip(f"{standin.name} has no DELETE of customers")
    made = make_customers(source, 120)
    ask(source, "DELETE", f"/v1/customers/{made[60]}")
    living = {
        item.external_id
        for page in scan(source, "customers")
        for item in page.items
        if not item.is_deleted
    }
    assert living == set(made) - {made[60]}


def test_no_key_is_refused(source: str) -> None:
    with pytest.raises(Unauthorised):
        scan(source, "customers", key="nonsense")
