"""People log in, with a script and without, work with forms that are theirs, and log out."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest
from playwright.sync_api import expect

from leasehold.web import WebSettings
from tests.browser import shop
from tests.browser.kit import PHONE, WIDE, serve, visiting
from tests.browser.test_pages import reading, serious_in
from tests.worker.kit import wait_until

if TYPE_CHECKING:
    from playwright.sync_api import Browser, Page

    from leasehold.client import Client


def log_in(page: Page, secret: str) -> None:
    page.get_by_label("Token").fill(secret)
    page.get_by_role("button", name="Log in").click()


def check_both_themes(page: Page) -> None:
    page.emulate_media(color_scheme="light")
    assert serious_in(page) == []
    page.emulate_media(color_scheme="dark")
    assert serious_in(page) == []


def test_a_person_logs_in_acts_is_seen_in_the_audit_and_logs_out(
    browser: Browser, client: Client
) -> None:
    secret = client.tokens.add("ana", scope="admin").secret
    client.queues.pause("mail")
    client.enqueue(shop.import_catalogue.with_options(queue="mail", delay="1h"), "x", 1)
    with serve(client) as served, visiting(browser, served) as visit:
        visit.open("/queues")
        expect(visit.page).to_have_title("Log in · leasehold")
        log_in(visit.page, secret)
        expect(visit.page.locator("h1")).to_have_text("Queues")
        visit.wait_live()
        visit.page.get_by_role("button", name="Resume mail").click()
        expect(visit.page.locator("#said")).to_contain_text("Queue mail goes on.")
        visit.page.get_by_role("button", name="Drain mail").click()
        visit.page.locator("#dialog").get_by_role("button", name="Drain").click()
        expect(visit.page.locator("#said")).to_contain_text("draining")
        visit.open("/audit")
        expect(visit.page.locator("table")).to_contain_text("queue.resume")
        expect(visit.page.locator("table")).to_contain_text("ana")
        visit.page.get_by_role("button", name="Log out").click()
        expect(visit.page).to_have_title("Log in · leasehold")
        visit.open("/queues")
        expect(visit.page).to_have_title("Log in · leasehold")
    assert client.audit.list(action="queue.pause")[0].actor == "ana"


def test_it_works_without_a_script(browser: Browser, client: Client) -> None:
    secret = client.tokens.add("ana", scope="operate").secret
    client.queues.pause("mail")
    client.enqueue(shop.import_catalogue.with_options(queue="mail", delay="1h"), "x", 1)
    with serve(client) as served, reading(browser) as page:
        page.goto(f"{served.address}/queues")
        log_in(page, "lh_wrong")
        expect(page.get_by_role("alert")).to_contain_text("not known")
        log_in(page, secret)
        page.get_by_role("button", name="Resume mail").click()
        expect(page.locator("#said")).to_contain_text("Queue mail goes on.")
        page.get_by_role("button", name="Drain mail").click()
        page.locator("form.question").get_by_role("button", name="Drain").click()
        expect(page.locator("#said")).to_contain_text("draining")
        page.get_by_role("button", name="Log out").click()
        expect(page).to_have_title("Log in · leasehold")


def test_an_open_page_goes_to_the_login_when_its_token_is_revoked(
    browser: Browser, client: Client
) -> None:
    secret = client.tokens.add("ana", scope="operate").secret
    with serve(client) as served, visiting(browser, served) as visit:
        visit.open("/queues")
        log_in(visit.page, secret)
        visit.wait_live()
        client.tokens.revoke("ana")
        expect(visit.page).to_have_title("Log in · leasehold")


def test_who_is_bound_to_a_tenant_gets_around(browser: Browser, client: Client) -> None:
    secret = client.tokens.add("bob", scope="operate", tenant="acme").secret
    with serve(client) as served, visiting(browser, served) as visit:
        visit.open("/")
        log_in(visit.page, secret)
        expect(visit.page.locator("h1")).to_have_text("Jobs")
        places = visit.page.locator("nav[aria-label=Pages] a")
        expect(places).to_have_text(["Jobs", "Batches", "Schedules", "Throttles"])
        for number in range(3):
            places.nth(number).click()
            visit.wait_live()
        assert "acme" in visit.page.locator(".account").inner_text()


@pytest.mark.parametrize("store_url", ["sqlite"], indirect=True)
@pytest.mark.parametrize("viewport", [WIDE, PHONE])
def test_the_login_is_fit_for_everybody(
    browser: Browser, client: Client, viewport: dict[str, int]
) -> None:
    settings = WebSettings(auth="required")
    options = {"viewport": viewport, "reduced_motion": "reduce"}
    with serve(client, settings) as served, visiting(browser, served, **options) as visit:
        visit.open("/login")
        check_both_themes(visit.page)
        assert not visit.is_wide()
        log_in(visit.page, "wrong")
        expect(visit.page.get_by_role("alert")).to_be_visible()
        check_both_themes(visit.page)
        secret = client.tokens.add("ana", scope="admin").secret
        log_in(visit.page, secret)
        wait_until(lambda: "Overview" in visit.page.title(), "the overview is open")
        check_both_themes(visit.page)
        assert not visit.is_wide()
