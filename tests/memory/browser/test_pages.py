"""Every page in a real browser: fit for everybody, in both languages, whatever stands on it."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest
from playwright.sync_api import expect

from tests.browser.kit import PHONE, Visit
from tests.browser.test_pages import reading, serious_in
from tests.memory.browser.kit import Served, coming_in, serving
from tests.memory.pages.kit import Furnished, furnish

if TYPE_CHECKING:
    from collections.abc import Iterator

    from playwright.sync_api import Browser

    from leasehold_memory.opening import Memory
    from tests.memory.web.kit import Standing


@pytest.fixture
def served(companion: Standing) -> Iterator[Served]:
    with serving(companion) as served:
        yield served


@pytest.fixture
def furnished(memory: Memory) -> Furnished:
    return furnish(memory)


def _open(visit: Visit, path: str) -> None:
    visit.open(path)
    visit.odd[:] = [each for each in visit.odd if "404" not in each]
    assert visit.page.locator("h1").count() == 1, path
    assert not visit.is_wide(), path


def test_every_page_is_fit_for_everybody_and_nothing_of_strangers_runs(
    browser: Browser, served: Served, furnished: Furnished
) -> None:
    with coming_in(browser, served, reduced_motion="reduce", locale="ja-JP") as visit:
        for path in [*furnished.paths, "/nowhere"]:
            _open(visit, path)
            for scheme in ("light", "dark"):
                visit.page.emulate_media(color_scheme=scheme)
                assert serious_in(visit.page) == [], (path, scheme)


def test_every_page_fits_on_a_phone(browser: Browser, served: Served, furnished: Furnished) -> None:
    with coming_in(browser, served, viewport=PHONE) as visit:
        for path in furnished.paths:
            _open(visit, path)


def test_the_language_is_the_browsers_until_somebody_chooses(
    browser: Browser, served: Served, furnished: Furnished
) -> None:
    with coming_in(browser, served, locale="ja-JP") as visit:
        page = visit.page
        visit.open("/memories")
        expect(page.locator("h1")).to_have_text("記憶")
        page.get_by_role("link", name="English").click()
        expect(page.locator("h1")).to_have_text("Memories")
        visit.open("/people")
        expect(page.locator("h1")).to_have_text("People and topics")


def test_who_has_no_token_is_told_where_it_is_and_sees_nothing(
    browser: Browser, served: Served, furnished: Furnished
) -> None:
    with reading(browser) as page:
        answer = page.goto(f"{served.address}/memories")
        assert answer is not None
        assert answer.status == 401
        expect(page.locator("main")).to_contain_text("token")
        assert "Emma" not in page.content()


def test_a_memory_is_corrected_and_taken_back_by_hand(
    browser: Browser, served: Served, furnished: Furnished
) -> None:
    with coming_in(browser, served) as visit:
        page = visit.page
        visit.open(f"/memories/{furnished.fact}")
        page.locator("textarea[name=object_text]").fill("神戸")
        page.get_by_role("button", name="Save").click()
        expect(page.locator("#said")).to_contain_text("corrected")
        expect(page.locator("h1")).to_contain_text("神戸")
        expect(page.locator("#versions ins").first).to_contain_text("神戸")
        page.get_by_role("button", name="Go back to version 1").click()
        expect(page.locator("#said")).to_contain_text("holds again")
        expect(page.locator("h1")).to_contain_text("大阪")
        expect(page.locator("#versions > ol > li")).to_have_count(4)


def test_a_page_shows_what_changes_without_being_loaded_again(
    browser: Browser, served: Served, memory: Memory, furnished: Furnished
) -> None:
    from tests.memory.data.kit import fact, say

    with coming_in(browser, served) as visit:
        page = visit.page
        visit.open("/memories?kind=fact")
        page.evaluate("window.mark = 'here'")
        with memory.database.write() as connection:
            fact(connection, "Sapporo", evidence=[say(connection, "I moved to Sapporo")])
        expect(page.locator("#memories")).to_contain_text("You live in Sapporo")
        assert page.evaluate("window.mark") == "here"
