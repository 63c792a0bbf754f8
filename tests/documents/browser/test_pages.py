"""Every page in a real browser: fit for everybody, and nothing that strangers wrote is in force."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest
from playwright.sync_api import expect

import leasehold as lh
from leasehold.kit.data import Database
from leasehold_documents import tasks
from leasehold_documents.access import Access, add_member
from leasehold_documents.settings import Settings, lending
from leasehold_documents.web import application
from tests.browser.kit import PHONE, visiting
from tests.browser.test_pages import serious_in
from tests.documents.importing.kit import fill
from tests.documents.web.furnishing import SCRIPT, agree_to, furnish, hand_in
from tests.documents.web.kit import settings_for, token_of
from tests.documents.web.test_connectors import drive
from tests.kit.serving import serving

if TYPE_CHECKING:
    from pathlib import Path

    from playwright.sync_api import Browser

    from tests.browser.kit import Visit
    from tests.documents.access.kit import Two
    from tests.kit.serving import Serving

pytestmark = pytest.mark.parametrize("url", ["sqlite"], indirect=True)


def test_every_page_is_fit_for_everybody_and_nothing_of_strangers_runs(
    browser: Browser, served: Serving, queue: lh.Client, database: Database, two: Two
) -> None:
    paths = furnish(queue, Access(queue, database, two.ada, two.first))
    for language, scheme in (("de-DE", "light"), ("en-GB", "dark")):
        with visiting(browser, served, locale=language, reduced_motion="reduce") as visit:
            visit.page.emulate_media(color_scheme=scheme)  # type: ignore[arg-type] # one of two
            for path in paths:
                look(visit, path)
                assert serious_in(visit.page) == [], (path, scheme)
    with visiting(browser, served, viewport=PHONE) as visit:
        for path in paths:
            look(visit, path)


def test_who_belongs_to_two_organizations_sees_news_of_the_one_that_is_shown(
    browser: Browser, served: Serving, queue: lh.Client, database: Database, two: Two
) -> None:
    add_member(database, two.ada, two.second)
    access = Access(queue, database, two.ada, two.first)
    with visiting(browser, served) as visit:
        visit.open("/documents/")
        expect(visit.page.locator("#unread")).to_have_text("0")
        agree_to(access, hand_in(access, "a.txt", b"Ein Brief."))
        lh.Worker(queue, tasks).run(until_empty=True)
        expect(visit.page.locator("#unread")).to_have_text("1")


def look(visit: Visit, path: str) -> None:
    """Open a page; it is whole, and nothing on it is wider than the screen."""
    visit.open(path)
    visit.odd[:] = [each for each in visit.odd if "404" not in each and "422" not in each]
    assert visit.page.locator("h1").count() == 1, path
    assert not visit.is_wide(), path


def test_a_hostile_name_and_text_are_shown_as_text(
    browser: Browser, served: Serving, queue: lh.Client, database: Database, two: Two
) -> None:
    furnish(queue, Access(queue, database, two.ada, two.first))
    with visiting(browser, served) as visit:
        visit.open("/documents/search?q=harmlos")
        expect(visit.page.locator(".hit .text").first).to_contain_text("</script>")
        visit.open("/documents/papers")
        expect(visit.page.locator("#papers")).to_contain_text(SCRIPT[:20])


def test_somebody_signs_in_and_out(
    browser: Browser, queue: lh.Client, two: Two, tmp_path: Path
) -> None:
    said: Settings = settings_for(tmp_path)
    with (
        lending(said),
        serving(queue, application()) as served,
        visiting(browser, served, locale="en-GB") as visit,
    ):
        page = visit.page
        visit.open("/documents/papers")
        expect(page.locator("h1")).to_have_text("Sign in")
        assert serious_in(page) == []
        page.get_by_label("Token").fill(token_of(two.ada))
        page.get_by_role("button", name="Sign in").click()
        expect(page.locator("h1")).to_have_text("Documents")
        page.get_by_role("button", name="Sign out").click()
        expect(page.locator("h1")).to_have_text("Sign in")


def test_the_page_goes_on_after_the_service_was_restarted(
    browser: Browser, served: Serving, queue: lh.Client, two: Two, database: Database
) -> None:
    access = Access(queue, database, two.ada, two.first)
    document_id = hand_in(access, "a.txt", b"Ein Brief.")
    agree_to(access, document_id)
    with visiting(browser, served, locale="en-GB") as visit:
        visit.open(f"/documents/papers/{document_id}")
        expect(visit.page.locator("#state")).to_have_text("waits")
        served.stop()
        expect(visit.page.locator(".lost")).to_be_visible()
        with lh.Worker(queue, tasks, grace="2s"):
            served.start()
            expect(visit.page.locator("#state")).to_have_text("done")


def test_a_drive_is_connected_by_somebody_who_has_signed_in(
    browser: Browser, queue: lh.Client, two: Two, tmp_path: Path
) -> None:
    with drive("dropbox", tmp_path) as server, serving(queue, application()) as served:
        fill(server, 2)
        with visiting(browser, served, locale="en-GB") as visit:
            page = visit.page
            visit.open("/documents/connectors")
            page.get_by_label("Token").fill(token_of(two.ada))
            page.get_by_role("button", name="Sign in").click()
            page.get_by_label("Name").fill("Meine Dropbox")
            page.get_by_role("button", name="Connect").click()
            # There, and back with a cookie that another site's page may not send.
            expect(page.locator("#said")).to_have_text("The drive is connected.")
            expect(page.locator("#connectors")).to_contain_text("Meine Dropbox")
            assert serious_in(page) == []
            page.get_by_label("Folder").fill("/Verträge")
            page.get_by_role("button", name="Import").click()
            expect(page.locator("#said")).to_have_text("The import has begun.")
            with lh.Worker(queue, tasks, grace="2s"):
                visit.open("/documents/papers")
                expect(page.locator("#papers tbody tr")).to_have_count(2)
                visit.open("/documents/notifications")  # told by a job behind the import
                expect(page.locator("#told")).to_contain_text("The import is done.")
            visit.open("/documents/connectors")
            page.get_by_text("Disconnect", exact=True).click()
            page.get_by_role("button", name="Disconnect the drive").click()
            expect(page.locator("#connectors")).to_contain_text("No drive is connected yet.")
