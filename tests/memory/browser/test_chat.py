"""Chat in a real browser, with a real companion: it answers at once, and remembers afterwards."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest
from playwright.sync_api import expect

from leasehold_memory.companion import Companion
from leasehold_memory.servers import ModelServer
from tests.browser.test_pages import reading, serious_in
from tests.memory.browser.kit import Served, coming_in, serving

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

    from playwright.sync_api import Browser, Page

SCRIPT = "<img src=x onerror=window.hit=2> </bdi></li>"


@pytest.fixture
def served(tmp_path: Path) -> Iterator[Served]:
    """A fresh home, and no key."""
    with serving(Companion(tmp_path / "home")) as served:
        yield served


def tell(page: Page, words: str) -> None:
    page.locator("#words").fill(words)
    page.locator("#words").press("Enter")


def expect_answer(page: Page, number: int) -> None:
    """Wait until so many answers are there, the last one whole."""
    expect(page.locator("#talk .theirs")).to_have_count(number)
    expect(page.locator("#talk [aria-busy]")).to_have_count(0)
    expect(page.locator("#talk .theirs bdi").last).not_to_be_empty()


def test_a_fresh_home_answers_and_shows_what_it_remembered_with_its_evidence(
    browser: Browser, served: Served
) -> None:
    with coming_in(browser, served) as visit:
        page = visit.page
        expect(page.locator("#remembered")).to_contain_text("Nothing yet.")
        page.evaluate("window.mark = 'here'")
        tell(page, f"My sister Emma lives in Kyoto. {SCRIPT}")
        expect_answer(page, 1)
        fact = page.locator("#remembered .memory", has_text="Emma lives in Kyoto").first
        expect(fact).to_be_visible()
        expect(fact.locator(".evidence a").first).to_contain_text("My sister Emma")
        expect(page.locator("#at-work")).to_have_text(
            "Everything that was said has been thought over."
        )
        assert page.evaluate("window.mark") == "here"
        assert "%%" not in page.locator("#talk").inner_text()  # of a marker
        assert serious_in(page) == []
        fact.locator(".evidence a").first.click()
        expect(page.locator("h1")).to_contain_text("My sister Emma")
        visit.open("/people")
        expect(page.get_by_role("link", name="Emma", exact=True)).to_be_visible()


def test_a_talk_in_japanese_is_remembered_in_japanese(browser: Browser, served: Served) -> None:
    with coming_in(browser, served, locale="ja-JP") as visit:
        page = visit.page
        expect(page.locator("#remembered")).to_contain_text("覚えたこと")
        tell(page, "友達の田中さんは大阪に住んでいます。")
        expect_answer(page, 1)
        fact = page.locator("#remembered .memory", has_text="田中は大阪に住んでいる").first
        expect(fact.locator(".evidence")).to_contain_text("友達の田中さん")
        tell(page, "明日、田中さんと映画を見に行く約束をしています。")
        expect_answer(page, 2)
        loop = page.locator("#remembered .memory", has_text="気がかり").first
        expect(loop).to_contain_text("映画")
        page.reload()
        expect(page.locator("#talk .mine")).to_have_count(2)
        assert serious_in(page) == []


def test_a_model_that_is_away_is_said_and_the_words_are_there_to_be_sent_again(
    browser: Browser, served: Served
) -> None:
    with coming_in(browser, served) as visit:
        page = visit.page
        visit.open("/settings")
        form = page.locator("#presets-model details").last
        form.locator("summary").click()
        for name, value in (("id", "gone"), ("name", "Gone"), ("model", "m")):
            form.locator(f"input[name={name}]").fill(value)
        form.locator("input[name=base_url]").fill("http://127.0.0.1:9/v1")
        form.get_by_role("button", name="Save").click()
        page.locator("select[name=model]").select_option("gone")
        page.get_by_role("button", name="Use these").click()
        expect(page.locator("#said")).to_contain_text("follows the change")
        visit.open("/")
        tell(page, "Are you there?")
        expect(page.locator("#refusal")).to_contain_text("can't be reached")
        expect(page.locator("#words")).to_have_value("Are you there?")
        expect(page.locator("#talk .mine")).to_have_count(0)


def test_words_are_shown_as_they_come_and_whoever_leaves_is_remembered(
    browser: Browser, served: Served
) -> None:
    with ModelServer(pause=0.25) as slow, coming_in(browser, served) as visit:
        page = visit.page
        preset = {"id": "slow", "name": "Slow", "model": "m", "base_url": slow.base_url}
        known = served.companion.settings.current().shown()["model_presets"]
        changed = {"model_presets": [*known, preset], "active_model_preset_id": "slow"}
        served.companion.change(changed)
        tell(page, "I am so happy, my sister Emma lives in Kyoto now.")
        expect(page.locator("#talk [aria-busy] bdi")).not_to_be_empty()
        visit.open("/memories")
        slow.pace(0)
        expect(page.locator("#memories")).to_contain_text("my sister Emma")
        visit.open("/")
        expect(page.locator("#talk .theirs")).to_contain_text("cut off")
        expect(page.locator("#remembered")).to_contain_text("Emma lives in Kyoto")


def test_the_enter_that_ends_a_conversion_does_not_send(browser: Browser, served: Served) -> None:
    with coming_in(browser, served, locale="ja-JP") as visit:
        page = visit.page
        page.locator("#words").fill("にほんご")
        page.evaluate(
            "document.getElementById('words').dispatchEvent(new KeyboardEvent('keydown',"
            " { key: 'Enter', isComposing: true, bubbles: true, cancelable: true }))"
        )
        expect(page.locator("#words")).to_have_value("にほんご")
        expect(page.locator("#talk .mine")).to_have_count(0)


def test_without_a_script_there_is_an_answer_on_the_next_page(
    browser: Browser, served: Served
) -> None:
    with reading(browser) as page:
        page.goto(f"{served.address}/?token={served.token}")
        page.locator("#words").fill("I live in Nara.")
        page.locator("#say button").click()
        expect(page.locator("#said")).not_to_be_empty()
        expect(page.locator("#talk .mine")).to_contain_text("I live in Nara.")
        expect(page.locator("#talk .theirs bdi")).not_to_be_empty()
