"""Pages follow what happens without being loaded again, and do what they are asked."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest
from playwright.sync_api import expect

import leasehold as lh
from leasehold import testing
from leasehold.worker import Worker
from tests.browser import shop
from tests.browser.kit import serve, visiting
from tests.worker.kit import wait_until

if TYPE_CHECKING:
    from playwright.sync_api import Browser

    from leasehold.client import Client
    from tests.browser.kit import Visit


def mark(visit: Visit) -> None:
    """Leave something that a reload would take away."""
    visit.wait_live()
    visit.page.evaluate("window.mark = 'here'")


def is_same(visit: Visit) -> bool:
    found: bool = visit.page.evaluate("window.mark === 'here'")
    return found


def test_a_new_job_and_its_end_are_seen_without_reload(visit: Visit, client: Client) -> None:
    visit.open("/jobs")
    expect(visit.page.get_by_text("No jobs here")).to_be_visible()
    mark(visit)
    job = client.enqueue(shop.resize_image, "a.jpg", width=3)
    row = visit.page.locator(f"#row-{job.id}")
    expect(row).to_contain_text("queued")
    testing.drain(client, shop.TASKS)
    expect(row).to_contain_text("succeeded")
    assert is_same(visit)


def test_what_is_ticked_stays_ticked_while_rows_come(visit: Visit, client: Client) -> None:
    first = client.enqueue(shop.resize_image, "a.jpg", width=3)
    visit.open("/jobs")
    mark(visit)
    visit.page.check(f"#tick-{first.id}")
    second = client.enqueue(shop.resize_image, "b.jpg", width=3)
    expect(visit.page.locator(f"#row-{second.id}")).to_be_visible()
    expect(visit.page.locator(f"#tick-{first.id}")).to_be_checked()
    expect(visit.page.locator("#ticked")).to_have_text("1 ticked")
    visit.page.get_by_role("button", name="Cancel…").click()
    expect(visit.page.get_by_role("dialog")).to_contain_text("Cancel 1 ticked job?")
    visit.page.get_by_role("dialog").get_by_role("button", name="Cancel").click()
    expect(visit.page.locator(f"#row-{first.id}")).to_contain_text("cancelled")
    assert client.get(second.id).state is lh.State.QUEUED
    assert is_same(visit)


def test_a_dead_job_is_retried_through_its_page(visit: Visit, client: Client) -> None:
    job = client.enqueue(shop.charge_card, 3, cents=100)
    testing.drain(client, shop.TASKS)
    visit.open(f"/jobs/{job.id}")
    mark(visit)
    visit.page.get_by_role("button", name="Retry").click()
    expect(visit.page.locator("#said")).to_contain_text("The job is queued again.")
    expect(visit.page.locator("h1 + .badge")).to_have_text("queued")
    assert client.get(job.id).state is lh.State.QUEUED
    assert is_same(visit)


def test_a_running_job_is_cancelled_through_its_page(visit: Visit, client: Client) -> None:
    job = client.enqueue(shop.import_catalogue, "acme", pages=9)
    with Worker(client, shop.TASKS, slots=1, grace="2s"):
        wait_until(lambda: client.get(job.id).state is lh.State.RUNNING, "it runs")
        visit.open(f"/jobs/{job.id}")
        mark(visit)
        expect(visit.page.get_by_text("of 9")).to_be_visible()
        visit.page.get_by_role("button", name="Cancel…").click()
        visit.page.get_by_role("button", name="Cancel the job").click()
        expect(visit.page.locator("h1 + .badge")).to_have_text("cancelled")
    assert client.get(job.id).state is lh.State.CANCELLED
    assert is_same(visit)


def test_a_queue_is_paused_and_resumed_through_its_page(visit: Visit, client: Client) -> None:
    client.enqueue(shop.resize_image, "a.jpg", width=3)
    visit.open("/queues")
    mark(visit)
    visit.page.get_by_label("Pause media").click()
    visit.page.get_by_label("Why").fill("stocktaking")
    visit.page.locator(".sheet").get_by_role("button", name="Pause").click()
    expect(visit.page.locator("main")).to_contain_text("stocktaking by dashboard")
    assert client.queues.list()[0].pause_reason == "stocktaking"
    visit.page.get_by_role("button", name="Resume media").click()
    expect(visit.page.get_by_label("Pause media")).to_be_visible()
    assert is_same(visit)


def test_all_that_a_filter_names_are_counted_and_then_deleted(visit: Visit, client: Client) -> None:
    client.enqueue_many(shop.resize_image.call("a.jpg", width=width) for width in range(70))
    client.enqueue(shop.report, "today")
    visit.open("/jobs?queue=media")
    mark(visit)
    visit.page.select_option("#whom", "all")
    visit.page.get_by_role("button", name="Delete…").click()
    dialog = visit.page.get_by_role("dialog")
    expect(dialog).to_contain_text("Delete all 70 jobs with queue media?")
    dialog.get_by_role("button", name="Delete").click()
    expect(visit.page.get_by_text("No jobs here")).to_be_visible()
    assert [job.queue for job in client.find()] == ["default"]
    assert is_same(visit)


def test_the_chart_and_the_figures_move(visit: Visit, client: Client) -> None:
    visit.open("/")
    mark(visit)
    expect(visit.page.locator("#plot-throughput canvas")).to_be_visible()
    expect(visit.page.locator("h1")).to_contain_text("warning")
    with Worker(client, shop.TASKS, slots=2, name="busy", grace="2s"):
        expect(visit.page.locator("h1")).to_contain_text("Healthy")
        client.enqueue(shop.import_catalogue, "acme", pages=9)
        expect(visit.page.get_by_label("Running now")).to_contain_text("shop.import_catalogue")
    assert visit.page.locator("#plot-throughput canvas").count() == 1
    assert is_same(visit)


def test_the_keyboard_is_enough(visit: Visit, client: Client) -> None:
    older = client.enqueue(shop.report, "first")
    newer = client.enqueue(shop.report, "second")
    page = visit.page
    visit.open("/")
    visit.wait_live()
    page.keyboard.press("g")
    page.keyboard.press("j")
    page.wait_for_url("**/jobs")
    page.keyboard.press("j")
    page.keyboard.press("x")
    expect(page.locator(f"#tick-{newer.id}")).to_be_checked()
    page.keyboard.press("j")
    page.keyboard.press("Enter")
    page.wait_for_url(f"**/jobs/{older.id}")
    page.keyboard.press("?")
    expect(page.get_by_role("dialog")).to_contain_text("Keyboard shortcuts")
    page.keyboard.press("Escape")
    page.keyboard.press("/")
    page.keyboard.type(str(newer.id)[:34])
    page.keyboard.press("Enter")
    page.wait_for_url(f"**/jobs/{newer.id}")


@pytest.mark.parametrize("store_url", ["sqlite"], indirect=True)
def test_a_chosen_theme_is_kept(visit: Visit) -> None:
    visit.open("/")
    before = visit.page.evaluate("getComputedStyle(document.body).backgroundColor")
    visit.page.click("#theme")
    after = visit.page.evaluate("getComputedStyle(document.body).backgroundColor")
    assert before != after
    visit.open("/jobs")
    assert visit.page.evaluate("getComputedStyle(document.body).backgroundColor") == after


@pytest.mark.parametrize("store_url", ["sqlite"], indirect=True)
def test_a_page_comes_back_to_life_after_the_server_was_restarted(
    browser: Browser, client: Client
) -> None:
    with serve(client) as served, visiting(browser, served) as visit:
        visit.open("/jobs")
        mark(visit)
        served.stop()
        expect(visit.page.locator("#pulse")).to_have_attribute("data-state", "lost")
        job = client.enqueue(shop.report, "while it was away")
        served.start()
        visit.wait_live()
        expect(visit.page.locator(f"#row-{job.id}")).to_be_visible()
        assert is_same(visit)
