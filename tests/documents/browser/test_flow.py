"""The whole way of a document in a real browser: handed in, agreed to, read, found, reviewed."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pytest
from playwright.sync_api import expect

import leasehold as lh
from leasehold_documents import tasks
from leasehold_documents.demo.files import excel, scan
from tests.browser.kit import visiting
from tests.browser.test_pages import reading
from tests.documents.web.kit import LEASE
from tests.documents.web.test_flow import UNSURE

if TYPE_CHECKING:
    from playwright.sync_api import Browser, Page

    from tests.browser.kit import Visit
    from tests.documents.access.kit import Two
    from tests.kit.serving import Serving

# Where the database makes no difference to a page.
ONCE = pytest.mark.parametrize("url", ["sqlite"], indirect=True)


def work(queue: lh.Client) -> Any:
    return lh.Worker(queue, tasks, slots=2, grace="2s")


def hand_in(visit: Visit, name: str, content: bytes) -> None:
    visit.open("/documents/papers")
    send(visit.page, name, content)


def send(page: Page, name: str, content: bytes) -> None:
    file = {"name": name, "mimeType": "application/octet-stream", "buffer": content}
    page.get_by_label("Drop a file here").set_input_files(file)  # type: ignore[arg-type] # a dict
    page.get_by_role("button", name="Upload").click()


def agree(page: Page, price: str) -> None:
    page.get_by_role("button", name="Estimate the price").click()
    expect(page.locator("#price")).to_contain_text(price)
    page.get_by_role("button", name=f"Read it for {price}").click()


def test_from_the_upload_to_the_review(visit: Visit, queue: lh.Client) -> None:
    page = visit.page
    hand_in(visit, "Mietvertrag Hauptstraße.pdf", LEASE)
    expect(page.locator("#said")).to_have_text("The document is here.")
    expect(page.locator("h1")).to_have_text("Mietvertrag Hauptstraße.pdf")
    expect(page.locator("#state")).to_have_text("not read")
    agree(page, "€0.02")
    expect(page.locator("#said")).to_have_text("Agreed: the document is being read.")
    expect(page.locator("#state")).to_have_text("waits")
    page.evaluate("window.mark = 'here'")
    with work(queue):
        expect(page.locator("#state")).to_have_text("done")
        expect(page.locator("#type")).to_have_text("Lease")
        expect(page.locator("#unread")).to_have_text("1")
    expect(page.locator("#place")).to_have_text("Mietverträge")
    expect(page.locator("#chunks")).to_contain_text("Die Kündigungsfrist")
    assert page.evaluate("window.mark === 'here'")  # all by itself, without a reload

    visit.open("/documents/search")
    page.get_by_label("Search for").fill("vertrag hauptstrasse")
    page.get_by_role("button", name="Search").click()
    expect(page.locator("#count")).to_have_text("1 hit")
    expect(page.locator("mark").first).to_be_visible()
    page.get_by_role("link", name="Mietvertrag Hauptstraße.pdf").click()
    expect(page.locator("#thought")).to_contain_text("Taken for Lease")
    page.get_by_role("link", name="News").click()
    expect(page.locator("#told")).to_contain_text("has been read.")
    page.get_by_role("button", name="Mark all as read").click()
    expect(page.locator("#unread")).to_have_text("0")
    visit.open("/documents/")
    expect(page.locator("#booked")).to_have_text("€0.02")
    visit.open("/documents/jobs")
    expect(page.locator("#jobs tbody tr")).to_have_count(2)


@ONCE
def test_news_that_come_after_the_last_change_of_a_document_are_shown(
    visit: Visit, queue: lh.Client
) -> None:
    page = visit.page
    hand_in(visit, "Mietvertrag.pdf", LEASE)
    agree(page, "€0.02")
    with lh.Worker(queue, [tasks.extract_document, tasks.classify_document], grace="2s"):
        expect(page.locator("#type")).to_have_text("Lease")
    expect(page.locator("#news[data-follow]")).to_be_attached()  # the document's stream is over
    expect(page.locator("#unread")).to_have_text("0")
    with work(queue):
        expect(page.locator("#unread")).to_have_text("1")


def test_what_is_not_certain_is_reviewed(visit: Visit, queue: lh.Client) -> None:
    page = visit.page
    with work(queue):
        hand_in(visit, "Brief.pdf", UNSURE)
        agree(page, "€0.02")
        expect(page.locator("#thought")).to_contain_text("Probably Notice of termination")
    visit.open("/documents/review")
    page.locator("#reviews article").first.get_by_label("Is rather").select_option("Versicherung")
    page.locator("#reviews article").first.get_by_role("button", name="Change").click()
    expect(page.locator("#said")).to_have_text("Corrected, and filed.")
    expect(page.locator("#reviews")).to_contain_text("There is nothing to review.")
    visit.open("/documents/papers")
    expect(page.locator("#papers")).to_contain_text("Insurance")


def test_a_scan_is_offered_to_be_looked_at_and_nothing_is_charged(
    visit: Visit, queue: lh.Client
) -> None:
    page = visit.page
    hand_in(visit, "Scan.pdf", scan(["Rechnung Nummer 4711", "Gesamtbetrag 99 Euro"]))
    with work(queue):
        agree(page, "€0.02")
        expect(page.locator("#failure")).to_contain_text("has no text")
        expect(page.locator("#reading")).to_contain_text("NO_TEXT_LAYER")
        expect(page.get_by_label("Method")).to_have_value("unstructured_hires")
        agree(page, "€0.05")
        expect(page.locator("#state")).to_have_text("done", timeout=60_000)
    expect(page.locator("#chunks")).to_contain_text("4711")


@ONCE
def test_an_encrypted_file_is_read_with_its_password(visit: Visit, queue: lh.Client) -> None:
    page = visit.page
    hand_in(visit, "Löhne.xlsx", excel(["Name", "Lohn"], ["Weiß", 2_500.0], password="geheim"))
    with work(queue):
        page.get_by_role("button", name="Estimate the price").click()
        page.get_by_role("button", name="Read it for").click()
        expect(page.locator("#failure")).to_contain_text("encrypted")
        page.get_by_role("button", name="Estimate the price").click()
        page.get_by_label("Password of the file").fill("geheim")
        page.get_by_role("button", name="Read it for").click()
        expect(page.locator("#state")).to_have_text("done")
    expect(page.locator("#chunks")).to_contain_text("Weiß")


@ONCE
def test_consent_is_withdrawn_and_a_job_cancelled(visit: Visit, queue: lh.Client) -> None:
    page = visit.page
    hand_in(visit, "a.txt", b"Ein kurzer Brief.")
    agree(page, "€0.02")
    page.get_by_role("button", name="Withdraw consent").click()
    expect(page.locator("#said")).to_have_text("Consent is withdrawn.")
    expect(page.locator("#state")).to_have_text("cancelled")
    agree(page, "€0.02")
    visit.open("/documents/jobs?status=queued")
    page.get_by_role("button", name="Cancel").click()
    expect(page.locator("#said")).to_have_text("The job is being cancelled.")
    with work(queue):
        visit.open("/documents/papers")
        expect(page.locator("#papers tbody")).to_contain_text("cancelled")
    page.get_by_role("link", name="a.txt").click()
    page.get_by_text("Delete the document").click()
    page.get_by_role("button", name="Delete for good").click()
    expect(page.locator("#said")).to_have_text("The document is deleted.")
    expect(page.locator("#papers")).to_contain_text("There is no document here yet.")


@ONCE
def test_a_refused_file_is_told_on_the_page(visit: Visit) -> None:
    hand_in(visit, "leer.pdf", b"  \n ")
    expect(visit.page.locator("#refusal")).to_have_text("The file is empty.")
    send(visit.page, "gut.txt", b"Text")
    expect(visit.page.locator("#said")).to_have_text("The document is here.")


@ONCE
def test_a_file_is_downloaded_under_its_name(visit: Visit) -> None:
    hand_in(visit, "Brief an Groß.txt", b"Ein Brief.")
    with visit.page.expect_download() as started:
        visit.page.get_by_role("link", name="Download the file").click()
    assert started.value.suggested_filename == "Brief an Groß.txt"
    assert started.value.path().read_bytes() == b"Ein Brief."


@ONCE
def test_pages_are_german_first_and_the_tenant_is_chosen(
    browser: Browser, served: Serving, two: Two, queue: lh.Client
) -> None:
    from leasehold.kit.data import database_of
    from leasehold_documents.access import add_member

    add_member(database_of(queue.url), two.ada, two.second)
    with visiting(browser, served, locale="fr-FR") as visit:
        page = visit.page
        visit.open("/documents/")
        expect(page.locator("h1")).to_have_text("Übersicht")
        expect(page.locator("html")).to_have_attribute("lang", "de")
        page.get_by_label("Organisation").select_option("Zweite AG")
        page.get_by_role("button", name="Wechseln").click()
        expect(page.get_by_label("Organisation")).to_have_value(str(two.second))
        page.get_by_role("link", name="English").click()
        expect(page.locator("h1")).to_have_text("Overview")


@ONCE
def test_without_a_script_a_document_is_handed_in_and_read(
    browser: Browser, served: Serving, queue: lh.Client
) -> None:
    with reading(browser) as page:
        page.goto(f"{served.address}/documents/papers")
        page.set_extra_http_headers({"accept-language": "en"})
        page.reload()
        send(page, "a.txt", b"Ein kurzer Brief.")
        agree(page, "€0.02")
        lh.Worker(queue, tasks).run(until_empty=True)
        page.reload()
        expect(page.locator("#state")).to_have_text("done")
        expect(page.locator("#chunks")).to_contain_text("Ein kurzer Brief.")
