"""The web of an application that is made of the kit: what it answers, shows and describes."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

import httpx
import pytest

from leasehold.kit.web import Languages
from leasehold.web import WebSettings
from tests.kit.asking import Asker, asking
from tests.kit.parcels import application
from tests.kit.serving import serving

if TYPE_CHECKING:
    from collections.abc import Iterator

    import leasehold as lh

BROWSER = {"accept": "text/html", "accept-language": "en"}


@pytest.fixture
def asker(client: lh.Client) -> Iterator[Asker]:
    with asking(client, application()) as request:
        yield Asker(request, client, "/parcels")


def test_an_applications_own_errors_are_told_as_it_says(asker: Asker) -> None:
    for name in ("lost", "for_good"):  # the second one as what it derives from
        problem = asker.refused(410, "GET", f"/jobs/{name}")
        assert problem["type"] == "urn:leasehold:problem:lost"
        assert problem["about"] == {"name": "vase"}
        assert problem["instance"] == f"/parcels/jobs/{name}"
    assert asker.refused(404, "GET", "/jobs/nobody")["type"].endswith(":parcel-not-found")


def test_what_is_nobodys_fault_says_nothing_of_what_is_inside(asker: Asker) -> None:
    away = asker.ask("GET", "/jobs/away")
    assert (away.status_code, away.headers["retry-after"]) == (503, "1")
    crash = asker.ask("GET", "/jobs/crash")
    assert crash.status_code == 500
    assert "secret" not in away.text + crash.text


def test_only_what_is_meant_to_be_large_may_be(asker: Asker) -> None:
    much = b"x" * 300_000
    assert asker.ask("POST", "/large", content=much).json() == {"bytes": len(much)}
    assert asker.refused(413, "POST", "/", content=much)["type"].endswith(":too-large")


def test_who_may_only_read_changes_nothing(asker: Asker) -> None:
    reader, ada = asker.as_token("bob", scope="read"), asker.as_token("a/da", scope="operate")
    assert reader.refused(403, "POST", "/", content=b"x")["type"].endswith(":wrong-scope")
    assert ada.ask("POST", "/", content=b"x").json()["by"] == "a%2Fda"


def test_methods_of_a_path_are_all_named(asker: Asker) -> None:
    answer = asker.ask("PUT", "/jobs/vase")
    assert (answer.status_code, answer.headers["allow"]) == (405, "DELETE, GET")


def test_people_see_a_page_where_programs_see_a_problem(asker: Asker) -> None:
    for path, is_page in (("/ui/rules/lost", True), ("/ui/nothing", True), ("/jobs/lost", False)):
        answer = asker.ask("GET", path, headers=BROWSER)
        assert answer.status_code in {404, 410}
        assert answer.headers["content-type"].startswith("text/html") is is_page, path
    told = asker.ask("GET", "/ui/rules/lost", headers=BROWSER | {"accept-language": "de"})
    assert "Weg." in told.text
    assert asker.ask("GET", "/ui/rules/lost").headers["content-type"].endswith("problem+json")


def test_pages_write_what_strangers_wrote_as_text(asker: Asker) -> None:
    page = asker.page("/ui/rules/<b>\u202ebold")
    assert "<bdi>&lt;b&gt;bold</bdi>" in page
    assert "<b>" not in page
    assert "1,234,567" in page
    assert 'href="/parcels/ui/rules" aria-current="page"' in page


def test_files_may_be_kept_for_ever_since_their_address_changes_with_them(asker: Asker) -> None:
    page = asker.page("/ui/")
    for name in ("kit.css", "kit.js", "icon.svg", "parcels.css"):
        found = re.search(rf"/parcels(/ui/static/{re.escape(name)}\?\w+)", page)
        assert found is not None, name
        assert "immutable" in asker.ask("GET", found[1]).headers["cache-control"]
    unknown = asker.ask("GET", "/ui/static/../__init__.py", headers=BROWSER)
    assert unknown.status_code == 404


def test_a_chosen_language_is_remembered_and_leads_back(asker: Asker) -> None:
    back = {"to": "de", "back": "/parcels/ui/rules/x"}
    chosen = asker.ask("GET", "/ui/language", params=back)
    assert (chosen.status_code, chosen.headers["location"]) == (303, "/parcels/ui/rules/x")
    cookie = chosen.headers["set-cookie"]
    assert cookie.startswith("parcels_language=de;")
    assert "Path=/parcels/ui" in cookie
    assert "Pakete" in asker.page("/ui/", headers={"cookie": "parcels_language=de"})


@pytest.mark.parametrize(
    "back", ["https://example.com/", "//example.com", "/parcels/ui//example.com", "/other", "\\a"]
)
def test_a_choice_leads_to_no_other_site(asker: Asker, back: str) -> None:
    chosen = asker.ask("GET", "/ui/language", params={"to": "de", "back": back})
    assert chosen.headers["location"] == "/parcels/ui/"


def test_a_page_says_once_what_was_done(asker: Asker) -> None:
    assert "1 sent" in asker.page("/ui/?said=sent&count=1")
    for odd in (
        "said=sent",
        "said=sent&count=x",
        "said=unknown&count=2",
        "said=sent&count=" + "9" * 12,
    ):
        assert 'class="said"' not in asker.page(f"/ui/?{odd}")


def test_the_document_describes_all_that_a_route_answers(asker: Asker) -> None:
    document = asker.get("/api/openapi.json")
    answers = document["paths"]["/jobs/{name}"]["get"]["responses"]
    assert {"400", "401", "404", "410", "413", "422", "429", "500", "503"} <= answers.keys()
    examples = answers["410"]["content"]["application/problem+json"]["examples"]
    assert examples["lost"]["value"]["detail"] == "A parcel is lost."
    assert document["components"]["schemas"]["Problem"]["required"]
    assert "/ui/" not in document["paths"]


def test_a_stream_tells_each_change_and_its_end(client: lh.Client) -> None:
    with serving(client, application(), WebSettings(needs_worker=False)) as served:
        address = f"{served.address}/parcels/events"
        with httpx.stream("GET", address, timeout=60) as answer:
            lines = answer.iter_lines()
            seen = [next(line for line in lines if line.startswith("data: "))]
            assert httpx.get(address).status_code == 503  # there is room for one
            served.state.told.append(b"2")
            seen += [line for line in lines if line.startswith(("event: ", "data: "))]
        assert seen == ["data: 1", "event: count", "data: 2", "event: end", "data: 2"]


def test_every_language_of_the_kit_says_the_same_and_writes_numbers_in_its_way() -> None:
    said = Languages({code: {"many": "{count}"} for code in ("de", "en", "ja", "ko")})
    keys = {code: set(texts) for code, texts in said.tables.items()}
    assert keys["de"] == keys["en"] == keys["ja"] == keys["ko"]
    written = [said.choose(code, "")("many", count=1_234) for code in ("de", "en", "ja", "ko")]
    assert written == ["1.234", "1,234", "1,234", "1,234"]
    assert said.choose("de", "").number(1_234.5) == "1.234,5"
    assert said.choose("de", "").number(0.04, 2) == "0,04"
