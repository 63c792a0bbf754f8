"""`run.py` on a fresh home without any key, in a browser; also in a locale without letters."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

import pytest
from playwright.sync_api import expect

from tests.browser.kit import visiting
from tests.memory.browser.test_chat import expect_answer, tell
from tests.memory.cli.kit import serve

if TYPE_CHECKING:
    from playwright.sync_api import Browser


@pytest.mark.parametrize(
    ("options", "locale"), [(["-X", "utf8"], "C.UTF-8"), ([], "C")], ids=["utf8", "LC_ALL=C"]
)
def test_chat_answers_and_the_page_shows_what_was_remembered_with_its_evidence(
    browser: Browser, tmp_path: Path, options: list[str], locale: str
) -> None:
    environment = {"LC_ALL": locale, "PYTHONUTF8": "", "PYTHONIOENCODING": ""}
    with (
        serve(tmp_path / "住まい", *options, environment=environment) as served,
        visiting(browser, served, locale="ja-JP") as visit,
    ):
        visit.open(f"/?token={served.told['token']}")
        tell(visit.page, "友達の田中さんは大阪に住んでいます。")
        expect_answer(visit.page, 1)
        fact = visit.page.locator("#remembered .memory", has_text="田中は大阪に住んでいる").first
        expect(fact.locator(".evidence")).to_contain_text("友達の田中さん")
        assert served.end() == 0
        visit.odd.clear()  # it went away
