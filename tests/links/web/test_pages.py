"""Pages as they are sent: every text in both languages, nothing of strangers' in force."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

import leasehold as lh
from leasehold_links.data.tables import canonical, link
from leasehold_links.model.outcomes import Reason
from leasehold_links.web.pages.visiting import PAGES
from leasehold_links.web.texts import LANGUAGES
from tests.kit.wording import missing_texts, written_texts
from tests.links.dialects import CHROME
from tests.links.jobs.kit import run_imports

if TYPE_CHECKING:
    from leasehold.kit.data import Database
    from tests.links.web.kit import Asker

_NOT_WORDS = {"HTTP", "https", "example", "com", "path", "svg"}  # the same in each language


def test_both_languages_say_the_same_things() -> None:
    english, korean = LANGUAGES.tables["en"], LANGUAGES.tables["ko"]
    assert english.keys() == korean.keys()
    places = re.compile(r"\{\w+\}")
    for key, text in english.items():
        assert set(places.findall(text)) == set(places.findall(korean[key])), key
        assert text, key
        assert korean[key], key
    same = {key for key in english if english[key] == korean[key]}
    assert same == {"marks"}  # of numbers


def test_every_text_that_a_page_asks_for_is_there() -> None:
    texts = LANGUAGES.tables["en"]
    assert missing_texts(PAGES) == set()
    assert {f"reason.{each}" for each in (*Reason, "lost")} <= texts.keys()
    assert {f"why.{each}" for each in lh.Reason} <= texts.keys()


def test_no_text_stands_in_a_template_itself() -> None:
    assert written_texts(PAGES, _NOT_WORDS) == []


def test_a_browser_gets_its_language_unless_another_was_chosen(asker: Asker) -> None:
    for accepted, expected in {
        "ko-KR,ko;q=0.9,en;q=0.8": "ko",
        "en-GB,en;q=0.9": "en",
        "de,ko;q=0.3,en;q=0.2": "ko",
        "de": "en",
        "": "en",
        "ko;q=x, *;q=0.1": "en",
    }.items():
        assert LANGUAGES.choose(None, accepted).language == expected, accepted
    page = asker.page("/", headers={"accept-language": "ko"})
    assert 'lang="ko"' in page
    assert "모든 링크" in page
    chosen = asker.ask("GET", "/language", params={"to": "en", "back": "/links/dead"})
    assert (chosen.status_code, chosen.headers["location"]) == (303, "/links/dead")
    cookie = chosen.headers["set-cookie"].partition(";")[0]
    assert 'lang="en"' in asker.page("/", headers={"accept-language": "ko", "cookie": cookie})


def test_a_choice_leads_to_no_other_site(asker: Asker) -> None:
    for back in ("https://evil.example", "//evil.example", "/links//evil.example", "/\\evil", "ü"):
        answer = asker.ask("GET", "/language", params={"to": "en", "back": back})
        assert answer.headers["location"] == "/links/", back


def test_a_file_goes_in_through_the_form_and_every_page_shows_it(
    asker: Asker, client: lh.Client
) -> None:
    form = {"file": ("my bookmarks.html", CHROME.encode(), "text/html")}
    sent = asker.ask("POST", "/imports", files=form, headers={"accept": "text/html"})
    assert sent.status_code == 303
    path = sent.headers["location"].removeprefix("/links")
    assert "waits" in asker.page(path)
    run_imports(client)
    shown = asker.page(path)
    assert "javascript:alert(1)" in shown
    assert "Addresses that begin with javascript: are no web pages." in shown
    assert "4 of 4 entries" in shown
    assert "my bookmarks.html" in asker.page("/imports")
    library = asker.page("/")
    assert "First &amp; best" in library
    assert "둘째" in library
    (bar,) = re.findall(r'href="(/links/\?folder=[^"]*)"[^>]*><span>Bookmarks bar', library)
    inside = asker.page(bar.removeprefix("/links"))
    assert "First &amp; best" in inside
    assert "둘째" not in inside.partition('class="cards"')[2]


def test_what_can_not_be_imported_is_said_in_the_readers_language(asker: Asker) -> None:
    form = {"file": ("x.json", b'{"roots": {}}', "application/json")}
    headers = {"accept": "text/html", "accept-language": "ko"}
    refused = asker.ask("POST", "/imports", files=form, headers=headers)
    assert refused.status_code == 422
    assert "JSON 백업 파일입니다" in refused.text


def test_a_problem_is_a_page_for_people_and_a_document_for_programs(asker: Asker) -> None:
    headers = {"accept": "text/html", "accept-language": "ko"}
    answer = asker.ask("GET", "/link/00000000-0000-0000-0000-000000000000", headers=headers)
    assert (answer.status_code, "여기에는 없습니다" in answer.text) == (404, True)
    asker.refused(404, "GET", "/link/00000000-0000-0000-0000-000000000000")
    refused = asker.send("/links", {"url": "javascript:alert(1)"})
    assert (refused.status_code, "no address of a web page" in refused.text) == (422, True)


SCRIPT = "<script>window.hit = 1</script>'\"><img src=x onerror=window.hit=2>"


def test_whatever_strangers_wrote_is_text(
    asker: Asker, client: lh.Client, database: Database
) -> None:
    made = asker.post("/api/links", {"url": "https://a.com/", "tags": [SCRIPT[:60]]}, status=201)
    hostile = {
        "title": SCRIPT + "\u202eturned" + "W" * 3_000,
        "description": SCRIPT,
        "image": "javascript:alert(1)",
        "favicon": "data:image/svg+xml;base64,PHN2Zy8+",
        "site_name": SCRIPT,
        "final_url": "javascript:alert(2)",
    }
    with database.write() as connection:
        connection.execute(canonical.update().values(**hostile))
        connection.execute(link.update().values(icon="data:text/html,x", url="javascript:x"))
    for path in ("/", f"/link/{made['id']}", f"/?q={SCRIPT[:20]}", "/?tag=<script>", "/dead"):
        page = asker.page(path)
        assert "<script>window" not in page, path
        assert "<img src=x" not in page, path
        assert "\u202e" not in page, path
        assert 'href="javascript:' not in page, path
        assert 'src="javascript:' not in page, path
        assert "svg+xml;base64" not in re.sub(r"<link[^>]*>", "", page), path


def test_pictures_of_other_sites_come_only_over_https_and_can_be_switched_off(
    asker: Asker, database: Database
) -> None:
    asker.post("/api/links", {"url": "https://a.com/"}, status=201)
    asker.post("/api/links", {"url": "https://b.com/"}, status=201)
    for domain, image in (("a.com", "https://a.com/i.png"), ("b.com", "http://b.com/i.png")):
        with database.write() as connection:
            connection.execute(
                canonical.update()
                .where(canonical.c.domain == domain)
                .values(image=image, favicon=image)
            )
    answer = asker.ask("GET", "/", headers={"accept": "text/html"})
    assert 'src="https://a.com/i.png" alt="" loading="lazy"' in answer.text
    assert 'referrerpolicy="no-referrer"' in answer.text
    assert answer.text.count('src="https://a.com/i.png"') == 2
    assert "http://b.com/i.png" not in answer.text
    assert "img-src 'self' data: https:;" in answer.headers["content-security-policy"]
    headers = {"accept": "text/html", "cookie": "links_pictures=off"}
    answer = asker.ask("GET", "/", headers=headers)
    assert "a.com/i.png" not in answer.text
    assert "img-src 'self' data:;" in answer.headers["content-security-policy"]


def test_a_link_is_edited_and_deleted_through_its_page(asker: Asker) -> None:
    sent = asker.send("/links", {"url": "https://a.com/x"})
    path = sent.headers["location"].removeprefix("/links").partition("?")[0]
    form = {"title": "Mine", "description": "Words", "tags": "a, b", "folder": ""}
    assert asker.send(path, form).status_code == 303
    page = asker.page(f"{path}?said=saved")
    assert "Saved." in page
    assert 'value="Mine"' in page
    assert 'value="a, b"' in page
    assert "No worker is there to fetch it." in page
    assert asker.send(f"{path}/refresh", {}).headers["location"].endswith("said=refreshed")
    assert asker.send(f"{path}/delete", {}).headers["location"] == "/links/?said=deleted"
    answer = asker.ask("GET", path, headers={"accept": "text/html"})
    assert answer.status_code == 404


def test_what_a_page_says_is_only_what_we_would_say(asker: Asker) -> None:
    assert "5 links will be tried again" in asker.page("/dead?said=requeued&count=5")
    for query in (
        "said=requeued&count=x",
        "said=brand",
        "said=<b>",
        "count=3",
        "said=saved&count=1",
    ):
        assert 'class="said"' not in asker.page(f"/dead?{query}"), query
