"""Syncs in a real browser: one is started, its bars move by themselves, it is cancelled."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any

import pytest
from playwright.sync_api import expect

import leasehold as lh
from leasehold_sync import tasks
from leasehold_sync.web import application
from tests.browser.kit import PHONE, visiting
from tests.browser.test_pages import reading, serious_in
from tests.kit.serving import serving
from tests.sync.web.kit import APP

if TYPE_CHECKING:
    from playwright.sync_api import Browser, Locator, Page

    from leasehold.kit.data import Database
    from leasehold_sync.servers import StripeServer
    from tests.browser.kit import Visit

pytestmark = pytest.mark.usefixtures("app")
# Where the database makes no difference to a page.
ONCE = pytest.mark.parametrize("url", ["sqlite"], indirect=True)
SCRIPT = "<script>window.hit = 1</script>'\"></title><img src=x onerror=window.hit=2>"


def bar(page: Page, resource: str) -> Locator:
    return page.get_by_role("progressbar", name=f"Progress of {resource}")


def begin(visit: Visit, mode: str = "full") -> None:
    visit.open(f"/sync/ui/apps/{APP}")
    visit.page.get_by_label("Mode").select_option(mode)
    visit.page.get_by_role("button", name="Start").click()
    visit.page.wait_for_url("**/sync/ui/jobs/*")


def mark(page: Page) -> None:
    """Leave something that a reload would take away."""
    page.evaluate("window.mark = 'here'")


def is_same(page: Page) -> bool:
    return bool(page.evaluate("window.mark === 'here'"))


def work(queue: lh.Client) -> Any:
    return lh.Worker(queue, tasks, slots=1, grace="2s")


def test_a_sync_is_started_and_its_bars_move_by_themselves(
    visit: Visit, queue: lh.Client, gate: Callable[..., None]
) -> None:
    visit.open("/sync/ui/")
    visit.page.get_by_role("button", name=f"Sync {APP}").click()
    visit.page.wait_for_url("**/sync/ui/jobs/*")
    page = visit.page
    expect(page.locator("#said")).to_have_text("The sync has begun.")
    expect(page.locator("#status")).to_have_text("waits")
    mark(page)
    with work(queue):
        for count in (100, 200):
            gate()
            expect(bar(page, "customers")).to_have_js_property("value", count)
            expect(page.locator("#entities")).to_have_text(str(count))
            expect(page.locator("#status")).to_have_text("runs")
            expect(page.locator("#counted")).to_have_text("0 of 2 resources are done")
        gate()
        expect(page.locator("#status")).to_have_text("done")
    expect(bar(page, "products")).to_have_js_property("value", 100)  # done, and so full
    expect(page.locator("#task-customers .created")).to_have_text("250")
    assert is_same(page)
    page.get_by_role("link", name=f"All syncs of {APP}").click()
    expect(page.get_by_role("link", name="customers")).to_be_visible()
    page.get_by_role("link", name="customers").click()
    expect(page.locator("tbody tr")).to_have_count(50)


def test_a_sync_is_cancelled_and_what_failed_is_retried(
    visit: Visit, queue: lh.Client, server: StripeServer, gate: Callable[..., None]
) -> None:
    page = visit.page
    server.insert("customers", count=5_000)
    server.delay(0.1)
    with work(queue):
        begin(visit)
        gate()
        expect(bar(page, "customers")).to_have_js_property("value", 100)
        page.get_by_role("button", name="Cancel").click()
        expect(page.locator("#said")).to_have_text("The sync is being cancelled.")
        expect(page.locator("#status")).to_have_text("cancelled")
        gate(1_000)
        expect(page.locator("#task-customers .badge")).to_have_text("cancelled")

        server.delay(0)
        server.fail(401, path="/v1/customers", skip=1)
        begin(visit)
        expect(page.locator("#status")).to_have_text("failed")
        page.get_by_role("button", name="Retry what failed").click()
        expect(page.locator("#said")).to_have_text("2 resources are tried again.")
        expect(page.locator("#status")).to_have_text("done")
    expect(bar(page, "customers")).to_have_js_property("value", 10_000)  # done, and so full
    expect(page.locator("#task-customers")).to_contain_text("5,250 entities")


@ONCE
def test_it_is_said_why_a_resource_waits(
    visit: Visit, queue: lh.Client, server: StripeServer
) -> None:
    server.fail(429, times=1_000, path="/v1/customers", retry_after=600)
    begin(visit)
    with work(queue):
        expect(visit.page.locator("#task-customers .snoozed")).to_contain_text("Waits until")


@ONCE
def test_the_bars_come_back_after_the_service_was_restarted(
    browser: Browser, queue: lh.Client, database: Database
) -> None:
    with serving(queue, application()) as served, visiting(browser, served) as visit:
        begin(visit)
        mark(visit.page)
        expect(visit.page.locator("#status")).to_have_text("waits")
        served.stop()
        expect(visit.page.locator(".lost")).to_be_visible()
        with work(queue) as worker:
            del worker
            served.start()
            expect(visit.page.locator("#status")).to_have_text("done")
        assert is_same(visit.page)


def furnish(queue: lh.Client, server: StripeServer) -> list[str]:
    """Give every page something to show, some of it hostile; returns their paths."""
    from leasehold.kit.data import database_of
    from leasehold_sync import syncing

    first = server.ids("customers")[0]
    server.update("customers", first, name=SCRIPT + "W" * 5_000)
    server.insert("customers", id="cus_" + "W" * 300)
    database = database_of(queue.url)
    done = syncing.start(queue, database, APP, mode="full")
    lh.Worker(queue, tasks).run(until_empty=True)
    server.fail(401, times=2)
    failed = syncing.start(queue, database, APP, mode="full")
    lh.Worker(queue, tasks).run(until_empty=True)
    server.fail(429, times=2, retry_after=600)
    waiting = syncing.start(queue, database, APP, mode="full")
    lh.Worker(queue, tasks).run(until_empty=True)
    jobs = [f"/sync/ui/jobs/{each.job_id}" for each in (done, failed, waiting)]
    entities = f"/sync/ui/entities?app={APP}"
    entity = f"/sync/ui/entity?app={APP}&collection=customers&id={first}"
    return ["/sync/ui/", f"/sync/ui/apps/{APP}", *jobs, entities, entity, "/sync/ui/nowhere"]


@ONCE
def test_every_page_is_fit_for_everybody_and_nothing_of_strangers_runs(
    browser: Browser, queue: lh.Client, server: StripeServer
) -> None:
    paths = furnish(queue, server)
    with serving(queue, application()) as served:
        with visiting(browser, served, reduced_motion="reduce") as visit:
            for path in paths:
                visit.open(path)
                visit.odd[:] = [each for each in visit.odd if "404" not in each]
                assert visit.page.locator("h1").count() == 1, path
                assert not visit.is_wide(), path
                for scheme in ("light", "dark"):
                    visit.page.emulate_media(color_scheme=scheme)
                    assert serious_in(visit.page) == [], (path, scheme)
        with visiting(browser, served, viewport=PHONE) as visit:
            for path in paths:
                visit.open(path)
                visit.odd[:] = [each for each in visit.odd if "404" not in each]
                assert not visit.is_wide(), path


@ONCE
def test_without_a_script_a_sync_is_started_and_read(browser: Browser, queue: lh.Client) -> None:
    with serving(queue, application()) as served, reading(browser) as page:
        page.goto(f"{served.address}/sync/ui/")
        page.get_by_role("button", name=f"Sync {APP}").click()
        expect(page.locator("#status")).to_have_text("waits")
        lh.Worker(queue, tasks).run(until_empty=True)
        page.reload()
        expect(page.locator("#status")).to_have_text("done")
