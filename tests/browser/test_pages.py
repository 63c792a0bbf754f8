"""Every page works in a real browser on both stores, and is fit for everybody."""

from __future__ import annotations

from contextlib import closing, contextmanager
from typing import TYPE_CHECKING

import pytest
from axe_playwright_python.sync_playwright import Axe
from playwright.sync_api import expect

from tests.browser import shop
from tests.browser.kit import PHONE, WIDE, serve, visiting
from tests.web.pages import PATHS
from tests.worker.kit import wait_until

if TYPE_CHECKING:
    from collections.abc import Iterator

    from playwright.sync_api import Browser, Page

    from leasehold.client import Client

SERIOUS = {"serious", "critical"}


def all_paths(client: Client) -> list[str]:
    """Name every page, and one of each kind that there are many of."""
    states = ("running", "dead", "succeeded", "blocked", "queued")
    long = shop.import_catalogue.name
    wait_until(lambda: len(client.find(state="running", kind=long)) == 2, "those that stay run")
    wait_until(lambda: all(client.find(state=state, limit=1) for state in states), "one of each")
    jobs = [f"/jobs/{client.find(state=state, limit=1)[0].id}" for state in states]
    batches = [f"/batches/{batch.id}" for batch in client.batches.list(name="warehouse")]
    more = ("/jobs?state=dead", "/jobs?q=invoice", "/?window=24h", "/jobs?state=sleeping")
    return [*PATHS, *jobs, *batches, *more]


def test_every_page_opens_without_a_complaint(browser: Browser, furnished: Client) -> None:
    with serve(furnished) as served, visiting(browser, served) as visit:
        for path in all_paths(furnished):
            visit.open(path)
            assert visit.page.locator("h1").count() == 1 or path == "/system/findings", path
            assert not visit.is_wide(), path
            if visit.page.locator("#pulse").count():
                visit.wait_live()


def test_every_page_fits_on_a_phone(browser: Browser, furnished: Client) -> None:
    with serve(furnished) as served, visiting(browser, served, viewport=PHONE) as visit:
        for path in all_paths(furnished):
            visit.open(path)
            assert not visit.is_wide(), path


def serious_in(page: Page) -> list[str]:
    found = Axe().run(page, options={"resultTypes": ["violations"]}).response["violations"]
    return [
        f"{each['id']}: {node['html'][:200]} {node.get('failureSummary', '')[:300]}"
        for each in found
        if each["impact"] in SERIOUS
        for node in each["nodes"]
    ]


@pytest.mark.parametrize("store_url", ["sqlite"], indirect=True)
def test_axe_finds_nothing_serious_in_either_theme(browser: Browser, furnished: Client) -> None:
    options = {"viewport": WIDE, "reduced_motion": "reduce"}
    with serve(furnished) as served, visiting(browser, served, **options) as visit:
        for path in all_paths(furnished):
            visit.open(path)
            for scheme in ("light", "dark"):
                visit.page.emulate_media(color_scheme=scheme)
                assert serious_in(visit.page) == [], (path, scheme)


@contextmanager
def reading(browser: Browser) -> Iterator[Page]:
    """A browser that runs no script."""
    with closing(browser.new_context(java_script_enabled=False)) as context:
        yield context.new_page()


def test_without_a_script_pages_are_read_and_forms_are_sent(
    browser: Browser, furnished: Client
) -> None:
    (dead, *_) = furnished.find(state="dead")
    with serve(furnished) as served, reading(browser) as page:
        for path in PATHS:
            page.goto(served.address + path)
            assert page.locator("table, .panel, .figures").count(), path
        page.goto(f"{served.address}/jobs/{dead.id}")
        page.get_by_role("button", name="Delete…").click()
        page.get_by_role("button", name="Delete", exact=True).click()
        expect(page.get_by_text("The job was deleted.")).to_be_visible()
        assert page.url == f"{served.address}/jobs"
    assert furnished.store.get(dead.id) is None
