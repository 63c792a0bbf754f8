"""One browser for a test process, a page for each test, on both stores."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest
from playwright.sync_api import expect, sync_playwright

from leasehold.client import Client
from leasehold.worker import Worker
from tests.browser import scenery, shop
from tests.browser.chromium import ARGUMENTS, HOW_TO_GET, find_chromium, is_required
from tests.browser.kit import Visit, serve, visiting

if TYPE_CHECKING:
    from collections.abc import Iterator

    from playwright.sync_api import Browser

    from tests.recycling import Shelf

WAIT_MILLISECONDS = 30_000
expect.set_options(timeout=WAIT_MILLISECONDS)


# Not for the session: while Playwright runs, no other test could start an event loop.
@pytest.fixture(scope="package")
def browser() -> Iterator[Browser]:
    path = find_chromium()
    if path is None and is_required():
        pytest.fail(HOW_TO_GET)
    if path is None:
        pytest.skip(HOW_TO_GET)
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=path, args=list(ARGUMENTS))
        yield browser
        browser.close()


@pytest.fixture(params=["sqlite", "postgres"])
def store_url(request: pytest.FixtureRequest, shelf: Shelf) -> str:
    return shelf.empty(request.getfixturevalue(f"shared_{request.param}_url"))


@pytest.fixture
def client(store_url: str) -> Iterator[Client]:
    with Client(store_url) as opened:
        yield opened


@pytest.fixture
def visit(browser: Browser, client: Client) -> Iterator[Visit]:
    """A page of a dashboard over an empty store."""
    with serve(client) as served, visiting(browser, served) as visit:
        visit.page.set_default_timeout(WAIT_MILLISECONDS)
        yield visit


@pytest.fixture
def furnished(client: Client) -> Iterator[Client]:
    """A store with something to see on every page, and a worker that runs some of it."""
    scenery.furnish(client, amount=2)
    with Worker(client, shop.TASKS, slots=4, name="web-1", grace="2s"):
        yield client
